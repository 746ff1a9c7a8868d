// Tests of rows that the file store remembers as its verbs have written them, and until when.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { inTurn } from '../../src/lib/turn.ts';
import { Freshness, Remembered } from '../../src/store/sqlite/commits/freshness.ts';
import { Transactions } from '../../src/store/sqlite/commits/transactions.ts';
import { openScratchStore, scratchFile } from './file_directory.ts';
import { aClient, aCode, aFamily, anAccessToken, at, club, key, partner } from './fixtures.ts';
import { findAccess, findCode, findRefresh, rotate } from './login.ts';
import { storeTest } from './with_store.ts';

const check = storeTest(openScratchStore);

check('a remembered row equals the row that another process reads', async ({ store, another }) => {
  assert.ok(another);
  const reader = await another();
  await store.issueCode(aCode({ scope: 'a b', codeChallenge: 'challenge' }));
  const refresh = { key: key('r0'), expiresAt: at(600) };
  for (const one of [store, reader]) {
    assert.deepEqual(
      await findCode(one, 'code', 1),
      aCode({ scope: 'a b', codeChallenge: 'challenge' }),
    );
  }
  await store.spendCode(club, partner, key('code'), { family: aFamily(), refresh }, at(1));
  for (let n = 0; n < 3; n += 1) {
    const rotated = await store.rotateRefreshToken({
      programme: club,
      client: partner,
      key: key(`r${n}`),
      successor: { key: key(`r${n + 1}`), expiresAt: at(700 + n) },
      keptAnswer: `sealed ${n}`,
      retryUntil: at(12),
      now: at(2),
    });
    assert.deepEqual(rotated, { outcome: 'rotated' });
    for (let m = 0; m <= n + 1; m += 1) {
      const [own, read] = await Promise.all(
        [store, reader].map((one) => findRefresh(one, `r${m}`, 3)),
      );
      assert.ok(own);
      assert.deepEqual(own, read, `r${m} after ${n + 1} rotations`);
    }
  }
});

check('a remembered row survives a sweep and expires on time', async ({ store }) => {
  const expiresAt = at(100);
  await store.add('client', [aClient()]);
  await store.startFamily({
    family: aFamily(),
    access: { ...anAccessToken('access'), expiresAt },
    refresh: { key: key('refresh'), expiresAt },
  });
  await store.issueCode(aCode({ expiresAt, forgetAt: expiresAt }));
  const client = await store.find('client', club, partner);
  const looks = (now: number): readonly Promise<unknown>[] => [
    findAccess(store, 'access', now),
    findRefresh(store, 'refresh', now),
    findCode(store, 'code', now),
  ];
  for (const found of await Promise.all(looks(1))) assert.ok(found);
  assert.equal(await store.sweep(at(50), 100), 0);
  assert.equal(await store.find('client', club, partner), client, 'not read again');
  for (const found of await Promise.all(looks(99))) assert.ok(found);
  assert.equal(await store.sweep(at(100), 100), 3);
  assert.equal(await store.find('client', club, partner), client, 'not read again');
  for (const found of await Promise.all(looks(100))) assert.equal(found, undefined);
});

check('G-19, G-21: a token or code that was just swept is unknown', async ({ store }) => {
  const refresh = { key: key('refresh'), expiresAt: at(100) };
  await store.startFamily({ family: aFamily(), refresh });
  await store.issueCode(aCode({ expiresAt: at(100), forgetAt: at(100) }));
  assert.ok(await store.findRefreshToken(club, refresh.key, at(99)));
  assert.ok(await findCode(store, 'code', 99));
  assert.equal(await store.sweep(at(100), 100), 2);
  // By the time at which their requests arrived.
  assert.deepEqual(await rotate(store, 'refresh', 'next', 99), { outcome: 'unknown' });
  const family = aFamily({ id: 'another' as never });
  const spent = await store.spendCode(club, partner, key('code'), { family }, at(99));
  assert.deepEqual(spent, { outcome: 'unknown' });
  assert.equal(await findRefresh(store, 'next', 99), undefined);
  assert.equal(await store.findFamily(club, family.id), undefined);
});

test('C-4: a request finds what was committed before it, whatever was read before', async () => {
  const { directory, remove } = scratchFile();
  const path = join(directory, 'jetway.db');
  const [own, other] = [new DatabaseSync(path), new DatabaseSync(path)];
  own.exec('PRAGMA journal_mode = WAL; CREATE TABLE revoked (token TEXT)');
  const transactions = new Transactions(own, []);
  const count = own.prepare('SELECT count(*) AS n FROM revoked');
  const look = (): unknown => {
    transactions.read();
    return count.get()?.['n'];
  };
  // Until no turn is under way that others have begun.
  for (let turns = 0; turns < 5; turns += 1) await nextTurn();
  assert.equal(look(), 0, 'by a timer');
  other.exec(`INSERT INTO revoked VALUES ('x')`);
  const found = await new Promise((resolve) => {
    inTurn('requests', () => resolve(look()));
  });
  assert.equal(found, 1);
  transactions.endRead();
  own.close();
  other.close();
  remove();
});

test('the write of a verb that is rolled back is not remembered', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (n)');
  const fresh = new Freshness(database);
  const remembered = new Remembered<number>(fresh, 100);
  const transactions = new Transactions(database, [fresh]);
  const held = (): readonly (number | undefined)[] =>
    ['good', 'bad'].map((name) => remembered.get(club, name, () => undefined));
  const note = (name: string): void => {
    database.exec('INSERT INTO t VALUES (1)');
    remembered.note(club, name, 1);
  };
  const fail = (): never => {
    note('bad');
    throw new Error('no');
  };
  transactions.settle([() => note('good')]);
  assert.deepEqual(held(), [1, undefined]);
  const settled = transactions.settle([() => note('bad'), fail, () => note('good')]);
  assert.deepEqual(
    settled.map((one) => 'value' in one),
    [true, false, true],
  );
  assert.deepEqual(held(), [1, undefined], 'what comes after it is');
  transactions.settle([fail]);
  assert.deepEqual(held(), [undefined, undefined]);
  database.close();
});

test('HOSTILE 26: a transaction goes by nothing that another process has changed before it began', (t) => {
  const { path, remove } = scratchFile();
  mkdirSync(dirname(path));
  const [own, other] = [new DatabaseSync(path), new DatabaseSync(path)];
  own.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)');
  const select = own.prepare('SELECT n FROM t');
  const fresh = new Freshness(own);
  const remembered = new Remembered<unknown>(fresh, 100);
  const transactions = new Transactions(own, [fresh]);
  const read = (): unknown => remembered.get(club, 'row', () => select.get()?.['n']);
  // However soon after the last look that is.
  t.mock.method(performance, 'now', () => 0);
  assert.equal(read(), 1);
  other.exec('UPDATE t SET n = 2');
  assert.equal(read(), 1, 'a look stands for a moment');
  assert.deepEqual(transactions.settle([read]), [{ value: 2 }]);
  own.close();
  other.close();
  remove();
});
