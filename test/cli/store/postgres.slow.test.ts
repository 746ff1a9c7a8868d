// Owns the promises of the verbs of a PostgreSQL store as commands, and of what a server says of it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { schemaVersion } from '../../../src/store/postgres/migrations.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { without } from '../../support/tools.ts';
import { until } from '../../support/until.ts';
import { environment, root } from '../command.ts';
import { postgresSite, storePath } from './postgres_site.ts';

describe('store copy', { skip: without('postgres') }, () => {
  test('moves a store to PostgreSQL and back: logins, codes and refresh tokens live on', async (t) => {
    const site = await postgresSite(t);
    const { folder, name, run, start, code, grant, refreshTokenIn } = site;
    await site.register('file');
    const first = await start('file');
    const login = { grant_type: 'authorization_code', code: await code(first) };
    const before = refreshTokenIn(await grant(first, login));
    const unspent = await code(first);
    const running = await run(
      'postgres',
      'store',
      'copy',
      '--from',
      `file:${folder}/data/jetway.db`,
    );
    assert.equal(running.code, 4);
    assert.match(running.stderr, /is in use by another process/);
    assert.equal(await first.end('SIGTERM'), 0);
    const from = ['store', 'copy', '--from', `file:${folder}/data/jetway.db`];
    const copied = await run('postgres', ...from);
    assert.deepEqual([copied.code, copied.stderr], [0, '']);
    const path = storePath(folder, 'jetway.db');
    assert.equal(
      copied.stdout.split('\n')[1],
      `Codes and tokens live on, with the same master key. ${path} is marked as moved, and opens in no Jetway.`,
    );
    const left = await run('file', 'client', 'list');
    assert.deepEqual(left, {
      code: 4,
      stdout: '',
      stderr: `the store ${path} was moved to ${name}: set store: ${name}\n`,
    });
    const second = await start('postgres');
    const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token });
    const after = refreshTokenIn(await grant(second, refresh(before)));
    const spent = { grant_type: 'authorization_code', code: unspent };
    refreshTokenIn(await grant(second, spent));
    const again = await grant(second, login);
    assert.deepEqual([again.status, JSON.parse(again.body)], [400, { error: 'invalid_grant' }]);
    const next = refreshTokenIn(
      await grant(second, { grant_type: 'authorization_code', code: await code(second) }),
    );
    assert.equal(await second.end('SIGTERM'), 0);
    const to = ['store', 'copy', '--to', `file:${folder}/data/back.db`, '--json'];
    const back = await run('postgres', ...to);
    assert.deepEqual([back.code, back.stderr], [0, '']);
    const { counts, ...stores } = JSON.parse(back.stdout) as { counts: object };
    assert.ok(counts);
    const repeated = await run('postgres', ...to);
    assert.deepEqual(JSON.parse(repeated.stdout), { ...stores, counts: null });
    const third = await start('back');
    refreshTokenIn(await grant(third, refresh(next)));
    // It was revoked with the replay of its code.
    assert.equal((await grant(third, refresh(after))).status, 400);
    const gone = await run('postgres', 'client', 'list');
    assert.equal(gone.code, 4);
    assert.match(gone.stderr, /was moved to file:/);
  });
});

describe('store verify, backup and restore', { skip: without('postgres') }, () => {
  test('of PostgreSQL, beside a running server and without one', async (t) => {
    const { folder, name, run, start, register } = await postgresSite(t);
    await register('postgres');
    const server = await start('postgres');
    const verified = await run('postgres', 'store', 'verify');
    assert.deepEqual([verified.code, verified.stderr], [0, '']);
    assert.match(verified.stdout, /^The store is sound\.\n\n {2}store +postgres:/);
    assert.match(
      verified.stdout,
      /\n {2}not read +pages and indices as a whole: pg_amcheck does\n/,
    );
    const backup = await run('postgres', 'store', 'backup', 'backup.db', '--json');
    assert.deepEqual([backup.code, backup.stderr], [0, '']);
    const restore = ['store', 'restore', join(folder, 'backup.db')];
    const unsure = await run('postgres', ...restore);
    assert.equal(unsure.code, 2);
    assert.match(unsure.stderr, /what is in the store would be replaced for good/);
    const refused = await run('postgres', ...restore, '--yes');
    assert.equal(refused.code, 4);
    assert.ok(refused.stderr.startsWith(`store ${name} is in use by `), refused.stderr);
    assert.equal(await server.end('SIGTERM'), 0);
    const restored = await run('postgres', ...restore, '--yes');
    assert.deepEqual([restored.code, restored.stderr], [0, '']);
    const listed = await run('postgres', 'client', 'list', '--json');
    assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 1);
    for (const [args, words] of [
      [['store', 'restore', '--yes'], /name the file of a backup, or --in-place/],
      [[...restore, '--in-place', '--yes'], /name the file of a backup, or --in-place/],
      [[...restore, '--keep-granted', '--yes'], /--keep-granted goes with --in-place/],
    ] as const) {
      const { code, stderr } = await run('postgres', ...args);
      assert.equal(code, 2);
      assert.match(stderr, words);
    }
    const file = await run('file', 'store', 'restore', '--in-place', '--yes');
    assert.equal(file.code, 2);
    assert.match(file.stderr, /--in-place is for a PostgreSQL store/);
  });

  // FAULTS 8
  test('a database that was brought back is refused by a server until it is told', async (t) => {
    const { run, start, register, query } = await postgresSite(t);
    await register('postgres');
    assert.equal(await (await start('postgres')).end('SIGTERM'), 0);
    await query(`UPDATE meta SET value = '1 1' WHERE name = 'cluster'`);
    await query(`UPDATE meta SET value = '0' WHERE name LIKE 'recorded%'`);
    await assert.rejects(start('postgres'), /may have been brought back to an earlier time/);
    const unsure = await run('postgres', 'store', 'restore', '--in-place');
    assert.deepEqual([unsure.code, unsure.stdout], [2, '']);
    const told = await run('postgres', 'store', 'restore', '--in-place', '--yes');
    assert.deepEqual([told.code, told.stderr], [0, '']);
    await start('postgres');
  });
});

/** The sources with one more step of migration, as a later version has it. */
function nextVersion(t: TestContext): string {
  const folder = scratchFolder(t, 'next');
  for (const name of readdirSync(root)) {
    if (name === 'src') cpSync(join(root, name), join(folder, name), { recursive: true });
    else symlinkSync(join(root, name), join(folder, name));
  }
  const step = `{
    expand: ['ALTER TABLE secret_use ADD COLUMN seen_by text'],
    contract: ["ALTER TABLE secret_use ALTER COLUMN seen_by SET DEFAULT 'nobody'"],
  }`;
  const path = join(folder, 'src/store/postgres/migrations.ts');
  const text = readFileSync(path, 'utf8').replace('\n];\n\n/** The schema of', `\n${step}$&`);
  writeFileSync(path, text);
  return join(folder, 'src/main.ts');
}

/** The schema of this version, and of the next. */
const [now, then] = [schemaVersion, schemaVersion + 1];

describe('store migrate', { skip: without('postgres') }, () => {
  test('FAULTS 26: two versions share a store until the older is refused by name', async (t) => {
    const { folder, name, run, start, register, code, grant, refreshTokenIn, query } =
      await postgresSite(t);
    const main = nextVersion(t);
    const next = (...args: readonly string[]) => {
      const line = [main, ...args, '--config', 'postgres.yaml'];
      const options = { cwd: folder, env: environment, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, line, options);
      return { code: status, stdout, stderr };
    };
    await register('postgres');
    const older = await start('postgres');
    const before = refreshTokenIn(
      await grant(older, { grant_type: 'authorization_code', code: await code(older) }),
    );
    const early = next('client', 'list');
    assert.deepEqual([early.code, early.stdout], [4, '']);
    assert.match(
      early.stderr,
      new RegExp(`has schema ${now}; this Jetway needs schema ${then}: run jetway store migrate`),
    );
    // The first server of the new version migrates.
    const newer = await start('postgres', { main });
    assert.deepEqual(
      await query(
        `SELECT name, value FROM meta WHERE name IN ('schema', 'oldest_reader') ORDER BY 1`,
      ),
      [
        { name: 'oldest_reader', value: String(now) },
        { name: 'schema', value: String(then) },
      ],
    );
    const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token });
    const second = refreshTokenIn(await grant(newer, refresh(before)));
    const third = refreshTokenIn(await grant(older, refresh(second)));
    assert.equal((await run('postgres', 'store', 'verify')).code, 0);
    const partly = await run('postgres', 'store', 'copy', '--to', `file:${folder}/data/back.db`);
    assert.equal(partly.code, 4);
    assert.match(partly.stderr, new RegExp(`has schema ${then}; this Jetway copies schema ${now}`));
    const inUse = next('store', 'migrate', '--contract');
    assert.equal(inUse.code, 4);
    assert.match(
      inUse.stderr,
      new RegExp(
        `is in use by servers that know schema ${then} not yet: \\S+ with schema ${now}: upgrade or stop`,
      ),
    );
    assert.equal(await older.end('SIGTERM'), 0);
    const contracted = next('store', 'migrate', '--contract');
    assert.deepEqual([contracted.code, contracted.stderr], [0, '']);
    assert.equal(
      contracted.stdout,
      `The store has schema ${then} already. No older Jetway opens it.\n`,
    );
    for (const args of [
      ['client', 'list'],
      ['store', 'verify'],
      ['store', 'migrate'],
    ]) {
      assert.deepEqual(await run('postgres', ...args), {
        code: 4,
        stdout: '',
        stderr: `the store ${name} needs a Jetway of schema ${then} or newer; this Jetway knows schema ${now}: run the Jetway that has migrated it, or a newer one\n`,
      });
    }
    await assert.rejects(
      start('postgres'),
      new RegExp(`needs a Jetway of schema ${then} or newer`),
    );
    refreshTokenIn(await grant(newer, refresh(third)));
  });

  test('by hand brings the tables to this version, once; a file has nothing to migrate', async (t) => {
    const { run, register } = await postgresSite(t);
    await register('postgres');
    assert.deepEqual(await run('postgres', 'store', 'migrate'), {
      code: 0,
      stdout: `The store has schema ${now} already. No older Jetway opens it.\n`,
      stderr: '',
    });
    const file = await run('file', 'store', 'migrate');
    assert.equal(file.code, 2);
    assert.match(file.stderr, /store migrate is for a PostgreSQL store/);
  });
});

describe('commits on one disk', { skip: without('postgres') }, () => {
  test('are told of by name where the environment is live; staging says nothing', async (t) => {
    const warned = (printed: () => { readonly stderr: string }): boolean =>
      printed().stderr.includes('"event":"store_warning"');
    const site = await postgresSite(t);
    const staging = await site.start('postgres');
    await site.run('postgres', 'status');
    assert.equal(warned(staging.printed), false);
    const live = await postgresSite(t);
    change(join(live.folder, 'postgres.yaml'), 'environment: staging', 'environment: live');
    const server = await live.start('postgres');
    await until(() => warned(server.printed));
    assert.match(
      server.printed().stderr,
      /"event":"store_warning","detail":"commits are on one disk alone: no synchronous standby/,
    );
  });

  test('are refused where the URL states how many standbys there are', async (t) => {
    const { folder, run, name } = await postgresSite(t);
    change(join(folder, 'postgres.yaml'), 'sslmode=', 'replicas=1&sslmode=');
    assert.deepEqual(await run('postgres', 'client', 'list'), {
      code: 4,
      stdout: '',
      stderr: `store ${name}: commits wait for 0 standbys, and replicas=1 is configured: set synchronous_standby_names at the primary, such as 'ANY 1 (a, b)', or lower replicas in the URL\n`,
    });
  });
});

function change(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}
