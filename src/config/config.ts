// Owns the configuration file: its keys, their defaults, and reading it.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import * as v from 'valibot';

import { type Milliseconds, milliseconds } from '../lib/clock.ts';
import { errorAt, type Fault, FaultsError, type Path } from '../lib/fault.ts';
import { isLoopback } from '../lib/ip_address.ts';
import { present } from '../lib/present.ts';
import { readSourceFile, UnreadableFile } from '../lib/read_file.ts';
import { maxYamlBytes, parseYaml, type YamlNode } from '../lib/yaml/yaml.ts';
import { validate } from '../schema/faults.ts';
import { durationSchema } from '../schema/scalars.ts';
import type { Environment } from '../store/contract.ts';
import { readStoreLocation, type StoreLocation } from '../store/open.ts';
import {
  type Address,
  addressSchema,
  type AdminPlace,
  adminSchema,
  haveOwnPorts,
} from './address.ts';
import { auditSchema, type AuditSettings, auditSettings } from './audit_keys.ts';
import { logSchema, type LogSettings, logSettings } from './log_keys.ts';
import { networksSchema } from './networks.ts';
import { storeSchema } from './store_keys.ts';
import { certifiedSchema, localFiles, type TlsFiles, tlsSchema } from './tls_keys.ts';
import { tracingSchema, type TracingSettings, tracingSettings } from './tracing_keys.ts';
import { sharesStore, workersSchema } from './workers_key.ts';

export interface Config {
  readonly environment: Environment;
  readonly listen: Address;
  /** Scheme, host and path under which clients reach the service; no trailing slash. */
  readonly publicUrl: string;
  readonly programmes: string;
  readonly store: StoreLocation;
  /** Of a PostgreSQL store; JETWAY_STORE_PASSWORD_FILE overrides it (store_files.ts). */
  readonly storePasswordFile?: string;
  readonly admin?: AdminPlace;
  readonly gateway?: Address;
  /** Of `listen`; left out where it answers plain HTTP. */
  readonly tls?: TlsFiles;
  /** Of `gateway`. */
  readonly gatewayTls?: TlsFiles;
  readonly trustedProxies: readonly string[];
  /** Whom partners ask for help, in one line. */
  readonly partners?: { readonly contact: string };
  /** Networks, besides public addresses, in which clients may publish their keys. */
  readonly jwksNetworks: readonly string[];
  /** Vouch for the servers of those keys, besides the public authorities. */
  readonly jwksAuthoritiesFile?: string;
  /** Whether trusted proxies begin connections to `listen` with a PROXY header; no others are taken. */
  readonly proxyProtocol?: 'v2';
  /** Processes that answer requests. */
  readonly workers: number;
  /** If left out: beside the store, if that is a file; JETWAY_MASTER_KEY_FILE overrides it. */
  readonly masterKeyFile?: string;
  /** Path of the socket by which commands ask a running server. */
  readonly control: string;
  /** Whether a running server takes up changed programme files by itself. */
  readonly watchProgrammes: boolean;
  /** The audit stream; left out where there is none. */
  readonly audit?: AuditSettings;
  readonly log: LogSettings;
  /** Where traces are sent; left out where there are none. */
  readonly tracing?: TracingSettings;
  /** How long a server that was told to stop tells so before it stops accepting connections. */
  readonly stopDelay: Milliseconds;
  /** The file, for the positions of faults in what it names. */
  readonly document: YamlNode;
}

const publicUrlSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.check((text) => {
    const url = URL.parse(text);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username + url.password === '' &&
      // An empty query or fragment remains only in the text, not in the parsed URL.
      !/[?#]|\/$/.test(text) &&
      url.href.replace(/\/$/, '') === text
    );
  }, 'expected an http or https address in its plain form, without query or trailing slash, such as https://tokens.example.com'),
  // Requests are matched as sent: a path with a second spelling would be found by one spelling
  // only.
  v.check(
    (text) => /^(?:\/|(?:\/[\w.~-]+)+)$/.test(URL.parse(text)?.pathname ?? '/'),
    'segments of its path are of letters, digits, "-", "_", "." and "~"',
  ),
);

const stopDelaySchema = v.pipe(
  durationSchema,
  v.check((delay) => delay <= 60_000, 'expected at most 60s'),
);

/** Time for a load balancer that looks every other second; without `admin` none can look. */
function usualStopDelay(admin: AdminPlace | undefined): Milliseconds {
  return milliseconds(admin === undefined ? 0 : 5000);
}

/** What partners are told besides what a programme's file says. */
const partnersSchema = v.strictObject({
  contact: v.pipe(
    v.string(),
    v.check(
      (text) => /^[^\p{Cc}\s](?:[^\p{Cc}]{0,198}[^\p{Cc}\s])?$/u.test(text),
      'expected one line of 1 to 200 characters, such as partners@example.com',
    ),
  ),
});

/** Its keys are those of the file. */
export const configSchema = v.pipe(
  v.strictObject({
    environment: v.picklist(['staging', 'live']),
    listen: v.optional(addressSchema, '127.0.0.1:8080'),
    public_url: publicUrlSchema,
    programmes: v.optional(v.string(), './programmes'),
    store: storeSchema,
    store_password_file: v.exactOptional(v.string()),
    admin: v.exactOptional(adminSchema),
    gateway: v.exactOptional(addressSchema),
    tls: v.exactOptional(tlsSchema),
    gateway_tls: v.exactOptional(certifiedSchema),
    trusted_proxies: networksSchema,
    jwks_networks: networksSchema,
    jwks_authorities_file: v.exactOptional(v.string()),
    proxy_protocol: v.exactOptional(v.picklist(['v2'])),
    workers: v.optional(workersSchema, 1),
    master_key_file: v.exactOptional(v.string()),
    control: v.exactOptional(v.string()),
    watch_programmes: v.optional(v.boolean(), true),
    log: v.exactOptional(logSchema),
    tracing: v.exactOptional(tracingSchema),
    stop_delay: v.exactOptional(stopDelaySchema),
    audit: v.exactOptional(auditSchema),
    partners: v.exactOptional(partnersSchema),
  }),
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
      ({ store, store_password_file: file }) => file === undefined || store.startsWith('postgres'),
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
      ({ store, workers }) => workers === 1 || sharesStore(store),
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
  const local = (name: string): string => resolve(dirname(path), name);
  const { admin, gateway, tls, gateway_tls: gatewayTls, master_key_file: keyFile } = output;
  const store = readStoreLocation(output.store, local);
  const { store_password_file: passwordFile, jwks_authorities_file: jwksFile } = output;
  const usualControl = store.kind === 'file' ? `${store.path}.control` : local('jetway.control');
  return present({
    environment: output.environment,
    listen: output.listen,
    publicUrl: output.public_url,
    programmes: local(output.programmes),
    store,
    storePasswordFile: passwordFile === undefined ? undefined : local(passwordFile),
    admin: admin && ('path' in admin ? { path: local(admin.path) } : admin),
    gateway,
    tls: tls && localFiles(tls, local),
    gatewayTls: gatewayTls && localFiles(gatewayTls, local),
    trustedProxies: output.trusted_proxies,
    partners: output.partners,
    jwksNetworks: output.jwks_networks,
    jwksAuthoritiesFile: jwksFile === undefined ? undefined : local(jwksFile),
    proxyProtocol: output.proxy_protocol,
    workers: output.workers,
    masterKeyFile: keyFile === undefined ? undefined : local(keyFile),
    control: output.control === undefined ? usualControl : local(output.control),
    watchProgrammes: output.watch_programmes,
    audit: auditSettings(output.audit, store, local),
    log: logSettings(output.log, local),
    tracing: output.tracing && tracingSettings(output.tracing, local),
    stopDelay: output.stop_delay ?? usualStopDelay(admin),
    document: root,
  });
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
