// Owns the promises of the verbs of a PostgreSQL store as commands, and of what a server says of it.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { without } from '../../support/tools.ts';
import { until } from '../../support/until.ts';
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
