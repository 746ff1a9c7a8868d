// Owns where a PostgreSQL store is: reading it from a URL, and naming it in messages.

import { isLoopback } from '../../lib/ip_address.ts';
import { nameHint } from '../../lib/suggest.ts';

/** A server's address; `host` is a folder where it begins with a slash, and the server's socket is in it. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

export interface PostgresLocation {
  readonly kind: 'postgres';
  /** Tried in turn until one of them is the primary; at least one. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly database: string;
  /** The schema of the database in which the tables stand: a plain identifier of PostgreSQL. */
  readonly schema: string;
  readonly sslmode: 'verify-full' | 'disable';
  /** The certificates of the authorities that vouch for the servers; those of Node if left out. */
  readonly sslrootcert?: string;
  /** Connections of a process; the store's own choice if left out. */
  readonly connections?: number;
  /** How many synchronous standbys there have to be; if left out, `live` only warns of none. */
  readonly replicas?: number;
  /** Whether statements are prepared by name. A pooler may know none by name. */
  readonly statements: 'named' | 'unnamed';
}

/** What the URL of a store looks like. */
export const postgresForm = 'postgres://user@host:5432/database';

/** A URL that names no PostgreSQL store; the message says why, without any part that may be secret. */
export class LocationRefused extends Error {
  override readonly name = 'LocationRefused';
}

const usualPort = 5432;

const parameterNames = [
  'host',
  'schema',
  'sslmode',
  'sslrootcert',
  'connections',
  'replicas',
  'statements',
] as const;

type Parameters = ReadonlyMap<string, string>;

/** A URL may name several hosts, which `URL` does not take. */
const urlForm = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;

/**
 * The location of `postgres://user@h1:5432,h2:5432/database?schema=jetway`. `local` completes a path.
 * @throws LocationRefused
 */
export function readPostgresLocation(
  text: string,
  local: (path: string) => string,
): PostgresLocation {
  const [, authority, database = '', query = ''] = urlForm.exec(text) ?? [];
  if (authority === undefined) throw new LocationRefused(`expected ${postgresForm}`);
  const place = authority.lastIndexOf('@');
  const userInfo = authority.slice(0, Math.max(0, place));
  if (userInfo.includes(':')) throw passwordRefused();
  const parameters = parametersOf(query);
  const hosts = hostsOf(authority.slice(place + 1), parameters.get('host'));
  const location = {
    kind: 'postgres',
    hosts,
    user: decoded(userInfo, 'the user'),
    database: decoded(database, 'the database'),
    schema: schemaOf(parameters),
    sslmode: sslmodeOf(parameters.get('sslmode'), hosts),
    ...optional('sslrootcert', parameters, local),
    ...optional('connections', parameters, numberUpTo(64)),
    ...optional('replicas', parameters, numberUpTo(16)),
    statements: oneOf(parameters, 'statements', ['named', 'unnamed']),
  } as const;
  if (location.user === '') throw new LocationRefused(`the user is missing: ${postgresForm}`);
  if (location.database === '') {
    throw new LocationRefused(`the database is missing: ${postgresForm}`);
  }
  return location;
}

/** How messages name the store. It can be pasted where a URL is asked for. */
export function postgresName({ hosts, user, database, schema }: PostgresLocation): string {
  const [first] = hosts;
  const isSocket = first !== undefined && isFolder(first);
  const authority = isSocket ? '' : hosts.map(shownHost).join(',');
  const parameters = [
    ...(isSocket ? [`host=${first.host}`] : []),
    ...(schema === usualSchema ? [] : [`schema=${schema}`]),
  ];
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  const [role, name] = [user, database].map(encodeURIComponent);
  return `postgres://${role}@${authority}/${name}${query}`;
}

function shownHost({ host, port }: PostgresHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** It is nowhere in the message: messages stand in logs and on screens. */
function passwordRefused(): LocationRefused {
  return new LocationRefused(
    'a password does not belong into the URL, which is shown in logs: put it into a file that only its owner can read, and name the file by store_password_file or JETWAY_STORE_PASSWORD_FILE',
  );
}

function parametersOf(query: string): Parameters {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'password' || name === 'passfile') throw passwordRefused();
    if (!parameterNames.some((known) => known === name)) {
      const shown = /^\w{1,30}$/.test(name) ? ` "${name}"` : '';
      throw new LocationRefused(
        `the URL has an unknown parameter${shown}: ${nameHint(name, parameterNames)}`,
      );
    }
    if (found.has(name)) throw new LocationRefused(`the URL has the parameter "${name}" twice`);
    found.set(name, value);
  }
  return found;
}

function optional<const Name extends 'sslrootcert' | 'connections' | 'replicas', Value>(
  name: Name,
  parameters: Parameters,
  read: (text: string, name: string) => Value,
): { readonly [Present in Name]?: Value } {
  const text = parameters.get(name);
  return text === undefined ? {} : ({ [name]: read(text, name) } as { [Present in Name]: Value });
}

function numberUpTo(most: number): (text: string, name: string) => number {
  return (text, name) => {
    const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= most) return number;
    throw new LocationRefused(`${name} is a number from 1 to ${most}`);
  };
}

function oneOf<const Word extends string>(
  parameters: Parameters,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const text = parameters.get(name) ?? words[0];
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new LocationRefused(`${name} is one of ${words.join(', ')}`);
}

const usualSchema = 'jetway';

/** A name that needs no quotes in SQL. */
function schemaOf(parameters: Parameters): string {
  const schema = parameters.get('schema') ?? usualSchema;
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema;
  throw new LocationRefused(
    'schema is at most 63 lower-case letters, digits and "_", and does not begin with a digit or pg_',
  );
}

/** The addresses of the URL, or the folder of the server's socket. */
function hostsOf(addresses: string, folder: string | undefined): readonly PostgresHost[] {
  if (folder === undefined) return addresses.split(',').map(addressOf);
  if (!folder.startsWith('/')) {
    throw new LocationRefused(
      'host is the folder of a socket, such as host=/run/postgresql; addresses stand before the database',
    );
  }
  // libpq's form: `postgres://user@:5433/database?host=/run/postgresql`.
  const [, port = String(usualPort)] = /^(?::(\d{1,5}))?$/.exec(addresses) ?? [];
  if (addresses !== '' && !addresses.startsWith(':')) {
    throw new LocationRefused('the URL has addresses and a socket folder: leave one of them out');
  }
  return [{ host: folder, port: portOf(port) }];
}

function addressOf(text: string): PostgresHost {
  const form = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(text);
  if (form === null) {
    throw new LocationRefused(
      'a host of the URL is malformed: expected such as db1.example:5432, several separated by commas',
    );
  }
  const [, bracketed, plain = '', port = String(usualPort)] = form;
  return { host: bracketed ?? plain, port: portOf(port) };
}

function portOf(text: string): number {
  const port = Number(text);
  if (port >= 1 && port <= 65_535) return port;
  throw new LocationRefused('a port of the URL is not from 1 to 65535');
}

function isFolder({ host }: PostgresHost): boolean {
  return host.startsWith('/');
}

/** What encrypts without looking whom it speaks to, or may not encrypt at all. */
const weakModes: ReadonlySet<string> = new Set(['allow', 'prefer', 'require', 'verify-ca']);

/** A socket has no TLS, and nobody listens on the way to it. */
function sslmodeOf(
  given: string | undefined,
  hosts: readonly PostgresHost[],
): PostgresLocation['sslmode'] {
  const isSocket = hosts.some(isFolder);
  const mode = given ?? (isSocket ? 'disable' : 'verify-full');
  if (weakModes.has(mode)) {
    throw new LocationRefused(
      `sslmode=${mode} does not make sure that it is your server which answers: leave it out for verify-full, and name the server's authority by sslrootcert`,
    );
  }
  if (mode === 'verify-full') {
    if (!isSocket) return mode;
    throw new LocationRefused('a socket has no TLS: leave sslmode out');
  }
  if (mode !== 'disable') throw new LocationRefused('sslmode is one of verify-full, disable');
  if (hosts.every((one) => isFolder(one) || isLoopback(one.host))) return mode;
  throw new LocationRefused(
    'sslmode=disable is for this machine alone: passwords and digests would cross the network in plain text',
  );
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new LocationRefused(`${what} in the URL has a malformed %`);
  }
}
