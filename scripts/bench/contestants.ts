// Owns the servers of the bench: `jetway serve` with the shipped club on each kind of store, and the bare
// one. Codes are written directly into a store, so that no login is measured.

import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { readConfig } from '../../src/config/config.ts';
import { after, type Instant, milliseconds } from '../../src/lib/clock.ts';
import { digest } from '../../src/lib/digest.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { timedKey } from '../../src/lib/random.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import { type AuthorizationCode, codeKey } from '../../src/oauth/grant.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { compileProgramme, type Programme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { openStore } from '../../src/server/open_store.ts';
import { buildIfStale } from '../build.ts';
import { onFirstCore, startChild } from '../load/child.ts';
import { namesOf } from '../load/login.ts';
import { client } from '../load/requests.ts';
import {
  cpuMicroseconds,
  jetwayCommand,
  type ServedSite,
  type Server,
  startServer,
} from '../load/server.ts';
import { layOut, openClub } from '../load/site.ts';
import { Cluster } from '../postgres/cluster.ts';
import type { BareServer } from './bare_server.ts';

/** The form of access tokens. */
export const formats = ['opaque', 'ES256'] as const;
export type Format = (typeof formats)[number];

export const serverNames = ['bare', 'file', 'executable', 'postgres'] as const;
export type ServerName = (typeof serverNames)[number];

/** A server under measurement. */
export interface Contestant {
  readonly name: ServerName;
  /** One, or several on one database. */
  readonly nodes: readonly Pick<Server, 'port' | 'gatewayPort' | 'pid'>[];
  /** Processor time of its database's processes so far, in microseconds; 0 without one. */
  readonly databaseCpu: () => number;
  /** Authorization codes, each for one exchange. */
  readonly codes: (format: Format, count: number) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

const names: Readonly<Record<Format, string>> = { opaque: 'opaque', ES256: 'signed' };

export const grantPath = (format: Format): string => `/${names[format]}/api/grant`;
export const verifyPath = (format: Format): string => `/${names[format]}/verify/member`;

/** The throttle counts as usual and never refuses. */
function textOf(format: Format): string {
  const jwt = 'tokens: { access: { format: jwt, algorithm: ES256 } }';
  const throttle = 'throttle: { limit: 1000000, window: 1s }';
  return openClub(names[format], `${throttle}\n${format === 'ES256' ? jwt : ''}\n`);
}

export async function startBare(): Promise<Contestant> {
  const child = startChild<undefined, BareServer>(import.meta.resolve('./bare_server.ts'), 0);
  const { port, pid } = await child.ask(undefined);
  return {
    name: 'bare',
    nodes: [{ port, gatewayPort: port, pid }],
    databaseCpu: () => 0,
    // As long as real ones: reading the request is part of the measurement.
    codes: (_format, count) =>
      Promise.resolve(Array.from({ length: count }, () => randomBytes(32).toString('hex'))),
    stop: child.end,
  };
}

/** A site with an empty store below a folder, and the cluster of its store where it has one. */
export async function makeSite(
  name: Exclude<ServerName, 'bare'>,
  place: string,
): Promise<{ readonly site: ServedSite; readonly database: Cluster | undefined }> {
  const folder = join(place, name);
  mkdirSync(folder);
  const database = name === 'postgres' ? await startDatabase() : undefined;
  const key = randomBytes(32).toString('base64url');
  writeFileSync(join(folder, 'master.key'), `${key}\n`, { mode: 0o600 });
  const store = database === undefined ? 'file:./jetway.db' : urlOf(database);
  const site = await layOut(folder, {
    programmes: { opaque: textOf('opaque'), signed: textOf('ES256') },
    config: `store: ${store}\nmaster_key_file: ./master.key\ngateway: 127.0.0.1:0\n`,
    owners: ['opaque', 'signed'],
    members: 1,
  });
  return { site, database };
}

/** Starts Jetway on a store of its own below a folder; on PostgreSQL as many servers as are wanted. */
export async function startJetway(
  name: Exclude<ServerName, 'bare'>,
  place: string,
  count: number,
): Promise<Contestant> {
  const { site, database } = await makeSite(name, place);
  const built = name === 'executable' ? await buildIfStale() : undefined;
  const command = onFirstCore(jetwayCommand(built));
  const nodes = [await startServer(command, site)];
  const wanted = database === undefined ? 1 : count;
  while (nodes.length < wanted) {
    // Each with a folder of its own, as on a machine of its own.
    const folder = `${dirname(site.configFile)}-${nodes.length + 1}`;
    cpSync(dirname(site.configFile), folder, { recursive: true });
    const configFile = join(folder, basename(site.configFile));
    nodes.push(await startServer(command, { ...site, configFile }));
  }
  const { codes, close } = await openMint(site.configFile);
  return {
    name,
    nodes,
    databaseCpu: () =>
      (database?.processes() ?? []).reduce((sum, pid) => sum + cpuMicroseconds({ pid }), 0),
    codes,
    stop: async () => {
      for (const node of nodes) await node.stop();
      await close();
      await database?.remove();
    },
  };
}

/** As an operator would set it: commits wait for the disk, and the hot tables fit into memory. */
async function startDatabase(): Promise<Cluster> {
  const settings = {
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '30min',
    wal_compression: 'pglz',
  };
  const cluster = await Cluster.make({ fsync: true, settings });
  await cluster.start();
  return cluster;
}

function urlOf({ port }: Cluster): string {
  return `postgres://jetway@127.0.0.1:${port}/jetway?sslmode=disable`;
}

/** Codes that are written at once: a store limits the number of waiting verbs. */
const atOnce = 1000;

/** Writes codes into the store of a server, as its logins do. */
async function openMint(
  configFile: string,
): Promise<Pick<Contestant, 'codes'> & { readonly close: () => Promise<unknown> }> {
  const { store, clock } = await openStore(readConfig(configFile));
  const programmes = { opaque: programmeOf('opaque'), ES256: programmeOf('ES256') };
  const codes = async (format: Format, count: number): Promise<readonly string[]> => {
    const programme = programmes[format];
    const made = Array.from({ length: count }, () => programme.code.generate());
    for (let from = 0; from < count; from += atOnce) {
      const some = made.slice(from, from + atOnce);
      await Promise.all(some.map((one) => store.issueCode(codeOf(programme, one, clock.now()))));
    }
    return made;
  };
  return { codes, close: () => store.close() };
}

/** A code of a login that has just begun, without a scope. */
export function codeOf(
  { id, code, scope }: Programme,
  text: string,
  issuedAt: Instant,
): AuthorizationCode {
  const [username] = namesOf('known', 1);
  const granted = scope.ofLogin(undefined, undefined);
  const forgetAt = after(issuedAt, milliseconds(900_000));
  return {
    programme: id,
    key: codeKey(text),
    transaction: timedKey(forgetAt),
    client: client.id as ClientId,
    redirectUri: digest(client.redirectUri),
    member: { subject: `subject-of-${username}` as Subject },
    ...(granted === undefined ? {} : { scope: granted }),
    issuedAt,
    expiresAt: after(issuedAt, code.lifetime),
    forgetAt,
  };
}

export function programmeOf(format: Format): Programme {
  const { loaded, faults } = loadProgramme(`${names[format]}.yaml`, textOf(format));
  if (loaded === undefined) throw new Error(faults.map(formatFault).join('\n'));
  return compileProgramme(loaded.id, loaded.definition, 'http://127.0.0.1');
}
