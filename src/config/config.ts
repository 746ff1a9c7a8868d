// Owns the configuration: what its keys require of each other, and reading the file.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import * as v from 'valibot';

import { errorAt, type Fault, FaultsError, type Path } from '../lib/fault.ts';
import { isLoopback } from '../lib/ip_address.ts';
import { present, type Present } from '../lib/present.ts';
import { readSourceFile, UnreadableFile } from '../lib/read_file.ts';
import { maxYamlBytes, parseYaml, type YamlNode } from '../lib/yaml/yaml.ts';
import { validate } from '../schema/faults.ts';
import { readStoreLocation } from '../store/open.ts';
import { haveOwnPorts } from './address.ts';
import { rows } from './keys.ts';
import type { Local, Row } from './rows.ts';

type Rows = typeof rows;
type Name = keyof Rows;

type Camel<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

/** Values by the names of the keys, in camel case: `publicUrl`. Optional keys without one are left out. */
type Values = Present<{
  readonly [Key in Name as Camel<Key>]: ReturnType<Rows[Key]['value']>;
}>;

/** What a server goes by: the meaning of each key of the file, defaults included. */
export type Config = Values & {
  /** The file, for the positions of faults in what it names. */
  readonly document: YamlNode;
};

/** A key of the configuration as programs name it. */
export type ConfigKey = keyof Values;

const names = Object.keys(rows) as readonly Name[];
const propertyOf = Object.fromEntries(
  names.map((name) => [
    name,
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as ConfigKey,
  ]),
) as Readonly<Record<Name, ConfigKey>>;
const nameOf = new Map(names.map((name) => [propertyOf[name], name]));

/** A key as the file has it: `stop_delay`. */
export function wordOf(key: ConfigKey): string {
  return nameOf.get(key) ?? key;
}

/** Whether a running server takes up another value of a key; otherwise it counts after a restart. */
export function isTakenUp(key: ConfigKey, former: Config, found: Config): boolean {
  const { taken }: Row = rows[nameOf.get(key) as Name];
  if (typeof taken === 'string') return taken === 'reload';
  const other = propertyOf[taken.unless as Name];
  return (former[other] === undefined) === (found[other] === undefined);
}

const entries = Object.fromEntries(names.map((name) => [name, rows[name].entry])) as {
  readonly [Key in Name]: Rows[Key]['entry'];
};

/** Whether processes and machines can share the store. */
function isDatabase(store: string): boolean {
  return store.startsWith('postgres');
}

/** Its keys are those of the file. */
export const configSchema = v.pipe(
  v.strictObject(entries),
  v.forward(
    v.partialCheck(
      [['environment'], ['public_url']],
      // Clients send secrets and codes to `public_url`: plain http is for trials only. Another check
      // reports a malformed URL.
      ({ environment, public_url: text }) => {
        const url = environment === 'live' ? URL.parse(text) : null;
        return url === null || url.protocol === 'https:' || isLoopback(url.hostname);
      },
      'the live environment needs an https address here',
    ),
    ['public_url'],
  ),
  v.forward(
    v.partialCheck(
      [['tls'], ['public_url']],
      ({ tls, public_url: text }) => tls === undefined || !text.startsWith('http:'),
      'with tls clients reach the service by an https address',
    ),
    ['public_url'],
  ),
  v.forward(
    v.partialCheck(
      [['proxy_protocol'], ['trusted_proxies']],
      ({ proxy_protocol: version, trusted_proxies: proxies }) =>
        version === undefined || proxies.length > 0,
      'proxy_protocol needs the networks of the proxies in trusted_proxies: no other connection is taken',
    ),
    ['proxy_protocol'],
  ),
  v.forward(
    v.partialCheck(
      [['store'], ['store_password_file']],
      ({ store, store_password_file: file }) => file === undefined || isDatabase(store),
      'only a postgres: store has a password',
    ),
    ['store_password_file'],
  ),
  v.forward(
    v.partialCheck(
      [['store'], ['audit']],
      ({ store, audit }) => store !== 'memory' || typeof audit !== 'object',
      'an audit stream needs a store that outlasts the server, as the key of its marks does: set store to file:PATH',
    ),
    ['audit'],
  ),
  v.forward(
    v.partialCheck(
      [['store'], ['workers']],
      ({ store, workers }) => workers === 1 || isDatabase(store),
      'only a postgres: store gains by more processes: SQLite has one writer at a time, and memory belongs to one process',
    ),
    ['workers'],
  ),
  v.check(
    ({ gateway, gateway_tls: tls }) => gateway !== undefined || tls === undefined,
    'gateway_tls needs the address of gateway',
  ),
  v.check(
    ({ listen, admin, gateway }) => haveOwnPorts([listen, admin, gateway]),
    'listen, admin and gateway need addresses of their own',
  ),
);

/** Paths in the file are relative to its folder. Throws `FaultsError`. */
export function readConfig(path: string): Config {
  const { root, faults } = parseYaml(path, readOrFault(path));
  if (root === undefined || faults.length > 0) throw new FaultsError(faults);
  const { output, faults: schemaFaults } = validate(configSchema, root);
  if (output === undefined || schemaFaults.length > 0) throw new FaultsError(schemaFaults);
  const local: Local = (name) =>
    name === undefined ? (name as never) : resolve(dirname(path), name);
  const around = { local, store: readStoreLocation(output.store, local), admin: output.admin };
  const values = names.map((name) => {
    const row: Row = rows[name];
    return [propertyOf[name], row.value(output[name], around)];
  });
  return present({ ...Object.fromEntries(values), document: root }) as Config;
}

function readOrFault(path: string): string {
  try {
    return readSourceFile(path, maxYamlBytes);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const hint = existsSync(path) ? undefined : 'jetway init writes one, with programmes';
    throw new FaultsError([wholeFault(path, `the file ${error.message}`, hint)]);
  }
}

/** A fault of a file or folder as a whole, at its first line. */
export function wholeFault(file: string, message: string, hint?: string, path: Path = []): Fault {
  return errorAt({ file, line: 1, column: 1 }, path, message, hint);
}
