// The fleet that docs/fleet.md describes, as its script sets it up on one machine: the settings, the SQL
// and a failover, with three Jetways on a primary and two standbys of a real PostgreSQL.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Client } from 'pg';

import { install, runner } from '../../scripts/postgres/install.ts';
import { jetwayJson, root } from '../cli/command.ts';
import { logIn } from '../support/login.ts';
import { removeFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';
import { type Answer, post } from '../support/wire.ts';

const fleetFolder = join(root, 'docs/fleet');
const page = readFileSync(join(root, 'docs/fleet.md'), 'utf8');
const told = (name: string): string => readFileSync(join(fleetFolder, name), 'utf8');

/** The blocks of SQL on the page. */
const statements = [...page.matchAll(/^```sql\n([^`]*)^```/gm)].map(([, sql = '']) => sql);

const id = 'partnerapi-00001';
const password = 'correct horse battery staple';

interface Fleet {
  readonly run: (verb: string, number?: number) => Promise<string>;
  /** Rows of a statement in a database, from 1. */
  readonly ask: (database: number, sql: string) => Promise<readonly object[]>;
  /** Where a Jetway answers, from 1. */
  readonly node: (number: number) => string;
  readonly folder: string;
}

function openFleet(t: TestContext): Fleet {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-fleet-'));
  // PostgreSQL runs as another user where this is root.
  chmodSync(folder, 0o711);
  const port = 16_000 + randomInt(300) * 40;
  const env = {
    ...process.env,
    PGBIN: join(install().native, 'bin'),
    JETWAY: `${process.execPath} ${join(root, 'src/main.ts')}`,
    FLEET_PORT: String(port),
    FLEET_POSTGRES_USER: runner.uid === undefined ? '' : 'nobody',
  };
  const run: Fleet['run'] = async (verb, number) => {
    const args = [verb, folder, ...(number === undefined ? [] : [String(number)])];
    const script = join(fleetFolder, 'fleet.sh');
    return (await promisify(execFile)(script, args, { env })).stdout;
  };
  t.after(async () => {
    await run('stop');
    removeFolder(folder);
  });
  const ask: Fleet['ask'] = async (database, sql) => {
    const client = new Client({
      host: '127.0.0.1',
      port: port + database - 1,
      user: 'postgres',
      database: 'jetway',
      password: readFileSync(join(folder, 'store.password'), 'utf8').trim(),
    });
    await client.connect();
    try {
      return (await client.query<object>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return { run, ask, folder, node: (number) => `http://127.0.0.1:${port + number + 9}` };
}

/** Registers a partner and a member; returns what the partner's requests for tokens go with. */
async function register(folder: string): Promise<string> {
  const at = ['--programme', 'executive-club', '--config', 'node1/config.yaml'];
  const client = `client add --name Blue --client-id ${id} --role member
    --redirect-uri https://blue.example/cb`.split(/\s+/);
  const added = (await jetwayJson(folder, [...client, ...at])) as { client_secret: string };
  const member = 'member add --username ann --password-stdin'.split(' ');
  await jetwayJson(folder, [...member, ...at], password);
  return `Basic ${Buffer.from(`${id}:${added.client_secret}`).toString('base64')}`;
}

test(
  'three Jetways on a primary and two standbys go on after the primary is killed',
  {
    skip: without('postgres'),
  },
  async (t) => {
    const { run, ask, node, folder } = openFleet(t);
    await run('start');
    const nodes = ['node1: running', 'node2: running', 'node3: running', ''];
    const before = ['db1: primary', 'db2: standby', 'db3: standby', ...nodes];
    assert.equal(await run('status'), before.join('\n'));

    const authorization = await register(folder);
    const grant = (at: string, fields: Readonly<Record<string, string>>): Promise<Answer> =>
      post(at, '/executive-club/api/grant', fields, { authorization });
    const tokenIn = ({ status, body }: Answer): string => {
      assert.equal(status, 200, body);
      return (JSON.parse(body) as { refresh_token: string }).refresh_token;
    };
    const refresh = (at: string, refresh_token: string): Promise<Answer> =>
      grant(at, { grant_type: 'refresh_token', refresh_token });
    const target = `/executive-club/auth/login?client_id=${id}&response_type=code`;
    const code = await logIn(node(1), target, { username: 'ann', password });
    const first = await grant(node(2), { grant_type: 'authorization_code', code });
    const second = tokenIn(await refresh(node(3), tokenIn(first)));

    // What the page asks of the database, and what it sets for its tables.
    for (const sql of [...statements, told('tables.sql')]) await ask(1, sql);
    assert.deepEqual(
      await ask(1, 'SELECT application_name, sync_state FROM pg_stat_replication ORDER BY 1'),
      [
        { application_name: 'db2', sync_state: 'quorum' },
        { application_name: 'db3', sync_state: 'quorum' },
      ],
    );

    await run('kill', 1);
    const lost = await refresh(node(1), second);
    assert.deepEqual([lost.status, lost.body], [503, '{"error":"temporarily_unavailable"}']);
    const received = await Promise.all(
      [2, 3].map(async (database) => {
        const [row] = await ask(database, `SELECT pg_last_wal_receive_lsn() - '0/0' AS bytes`);
        return { database, bytes: Number((row as { bytes: string }).bytes) };
      }),
    );
    const [ahead] = received.toSorted((one, other) => other.bytes - one.bytes);
    await run('promote', ahead?.database);

    // Each server finds the new primary by itself.
    const served = async (send: () => Promise<Answer>): Promise<Answer> => {
      let answer = await send();
      for (let tries = 0; answer.status === 503 && tries < 200; tries += 1) {
        await sleep(100);
        answer = await send();
      }
      return answer;
    };
    const third = tokenIn(await served(() => refresh(node(2), second)));
    tokenIn(await served(() => refresh(node(3), third)));
    const spent = await served(() => grant(node(1), { grant_type: 'authorization_code', code }));
    assert.equal(spent.status, 400, spent.body);
    assert.match(await run('status'), /^db1: lost\n/);
  },
);

test('the page tells of every setting of the fleet, and of every table that is set', () => {
  const settings = [...told('postgresql.conf').matchAll(/^(\w+) =/gm)].map(([, name = '']) => name);
  const tables = [...told('tables.sql').matchAll(/^ALTER TABLE (jetway\.\w+)/gm)];
  const names = [...settings, ...tables.map(([, name = '']) => name)];
  assert.ok(names.length > 15);
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});
