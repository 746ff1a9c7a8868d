// Owns the floors, a process: node:http with a Map or one SQLite table, one row a login, and no more
// checks than a right request needs. Only opaque tokens.

import { hash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { answerParent, listenAnywhere } from './child.ts';
import { authorization } from './plan.ts';
import { type ServerCommands, usageCommands } from './server.ts';

/** A login's row, found by the number that its tokens begin with. */
interface Row {
  /** Digest of the code or refresh token that is good now. */
  readonly grant: string;
  readonly access: string;
}

interface Rows {
  readonly add: (row: Row) => number;
  readonly find: (id: number) => Row | undefined;
  readonly change: (id: number, row: Row) => void;
  /** Calls `work`, and `answered` once what it wrote is as durable as it gets. */
  readonly write: (work: () => void, answered: () => void) => void;
  readonly commits: () => number;
}

function rowsInMap(): Rows {
  const rows = new Map<number, Row>();
  return {
    add: (row) => {
      rows.set(rows.size + 1, row);
      return rows.size;
    },
    find: (id) => rows.get(id),
    change: (id, row) => void rows.set(id, row),
    write: (work, answered) => {
      work();
      answered();
    },
    commits: () => 0,
  };
}

/** `synchronous = FULL`: one commit for all requests of a turn of the event loop, then their answers. */
function rowsInFile(folder: string): Rows {
  const database = new DatabaseSync(join(folder, 'floor.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE login (id INTEGER PRIMARY KEY, "grant" TEXT NOT NULL, access TEXT NOT NULL)`);
  const insert = database.prepare('INSERT INTO login ("grant", access) VALUES (?, ?)');
  const select = database.prepare('SELECT "grant", access FROM login WHERE id = ?');
  const update = database.prepare('UPDATE login SET "grant" = ?, access = ? WHERE id = ?');
  const waiting: { readonly work: () => void; readonly answered: () => void }[] = [];
  let commits = 0;
  const commit = (): void => {
    const turn = waiting.splice(0);
    database.exec('BEGIN IMMEDIATE');
    for (const { work } of turn) work();
    database.exec('COMMIT');
    commits += 1;
    for (const { answered } of turn) answered();
  };
  return {
    add: (row) => Number(insert.run(row.grant, row.access).lastInsertRowid),
    find: (id) => select.get(id) as Row | undefined,
    change: (id, row) => void update.run(row.grant, row.access, id),
    write: (work, answered) => {
      if (waiting.push({ work, answered }) === 1) setImmediate(commit);
    },
    commits: () => commits,
  };
}

const [, , kind, folder = ''] = process.argv;
const rows = kind === 'sqlite' ? rowsInFile(folder) : rowsInMap();

const newSecret = (): string => randomBytes(32).toString('base64url');
const digest = (secret: string): string => hash('sha256', secret, 'base64url');
/** A token is `number.secret`. */
const partsOf = (token: string): readonly [id: number, secret: string] => {
  const dot = token.indexOf('.');
  return [Number(token.slice(0, dot)), token.slice(dot + 1)];
};

const server = createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    const [id, secret] = partsOf(incoming.headers.authorization?.slice('Bearer '.length) ?? '');
    const isGood = rows.find(id)?.access === digest(secret);
    send(outgoing, isGood ? 200 : 401, '{}');
    return;
  }
  let body = '';
  incoming.setEncoding('latin1');
  incoming.on('data', (chunk: string) => (body += chunk));
  incoming.on('end', () => {
    if (incoming.headers.authorization !== authorization) send(outgoing, 401, '{}');
    else answer(outgoing, new URLSearchParams(body));
  });
});

function answer(outgoing: ServerResponse, form: URLSearchParams): void {
  let told: object | undefined;
  rows.write(
    () => {
      told = exchange(form);
    },
    () => send(outgoing, told === undefined ? 400 : 200, JSON.stringify(told ?? {})),
  );
}

/** Undefined for a code or refresh token that is not good. */
function exchange(form: URLSearchParams): object | undefined {
  const access = newSecret();
  const common = { scope: 'AUTHN-LEVEL-10', token_type: 'bearer', expires_in: 1800 };
  const presented = form.get('code') ?? form.get('refresh_token');
  if (presented === null) {
    const id = rows.add({ grant: '', access: digest(access) });
    return { access_token: `${id}.${access}`, ...common };
  }
  const [id, secret] = partsOf(presented);
  if (rows.find(id)?.grant !== digest(secret)) return undefined;
  const refresh = newSecret();
  rows.change(id, { grant: digest(refresh), access: digest(access) });
  return { access_token: `${id}.${access}`, ...common, refresh_token: `${id}.${refresh}` };
}

function send(outgoing: ServerResponse, status: number, body: string): void {
  outgoing.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
    'Content-Length': body.length,
  });
  outgoing.end(body);
}

/** Logins with a secret each, all in one commit. */
function logins(count: number, row: (digest: string) => Row): Promise<readonly string[]> {
  const made: string[] = [];
  return new Promise((resolve) => {
    rows.write(
      () => {
        for (let index = 0; index < count; index += 1) {
          const secret = newSecret();
          made.push(`${rows.add(row(digest(secret)))}.${secret}`);
        }
      },
      () => resolve(made),
    );
  });
}

const port = await listenAnywhere(server);

answerParent<ServerCommands>({
  ...usageCommands(rows.commits),
  address: (format) =>
    format === 'opaque' ? { port, path: '/token', verifyPath: '/verify' } : undefined,
  mint: ({ count }) => logins(count, (grant) => ({ grant, access: '' })),
  issue: ({ count }) => logins(count, (access) => ({ grant: '', access })),
});
