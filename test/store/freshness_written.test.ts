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
import { aClient, aCode, aLogin, anAnswer, at, club, key, otherClub, partner } from './fixtures.ts';
import { findCode, findLogin, login, refresh } from './login.ts';
import { storeTest } from './with_store.ts';

const check = storeTest(openScratchStore);

check('a remembered row equals the row that another process reads', async ({ store, another }) => {
  assert.ok(another);
  const reader = await another();
  const code = aCode({ scope: 'a b', codeChallenge: 'challenge' });
  await store.issueCode(code);
  for (const one of [store, reader]) assert.deepEqual(await findCode(one, 'code', 1), { code });
  await store.spendCode(club, partner, key('code'), aLogin(), at(1));
  const owns = [{ ownScope: 'a' }, {}, { ownScope: '' }, {}] as const;
  let last = await findLogin(store);
  for (const [n, own] of owns.entries()) {
    assert.ok(last);
    const next = anAnswer(last, `${n}`, own);
    assert.equal(await store.advanceLogin(club, last.place, last, next), true);
    const { ownScope: _former, ...before } = last;
    last = await findLogin(store);
    assert.deepEqual(last, { ...before, ...next });
    assert.deepEqual(await findLogin(reader), last);
  }
});

check('a remembered row survives a sweep and goes on time', async ({ store }) => {
  await store.add('client', [aClient()]);
  await store.startLogin(aLogin({ forgetAt: at(100) }));
  await store.issueCode(aCode({ expiresAt: at(100), forgetAt: at(100) }));
  const client = await store.find('client', club, partner);
  for (const [now, swept] of [
    [50, 0],
    [100, 1],
    // What is known of the code goes after it.
    [159.999, 1],
  ] as const) {
    assert.ok(await findLogin(store));
    assert.equal((await findCode(store, 'code', now)) === undefined, now >= 100);
    assert.equal(await store.sweep(at(now), 100), swept);
    assert.equal(await store.find('client', club, partner), client, 'not read again');
  }
  assert.equal(await store.sweep(at(160), 100), 1);
  assert.equal(await findLogin(store), undefined);
  assert.equal(await store.find('client', club, partner), client, 'not read again');
});

check('G-19, G-21: a login or code that was just swept is unknown', async ({ store }) => {
  await store.startLogin(aLogin({ forgetAt: at(40) }));
  await store.issueCode(aCode({ expiresAt: at(100), forgetAt: at(100) }));
  assert.ok(await findLogin(store));
  assert.ok(await findCode(store, 'code', 99));
  assert.equal(await store.sweep(at(100), 100), 3);
  // By the time at which their requests arrived.
  const next = anAnswer(aLogin(), 'next');
  assert.equal(await store.advanceLogin(club, aLogin().place, aLogin(), next), false);
  assert.deepEqual(await refresh(store, aLogin(), 'next', at(39)), { outcome: 'unknown' });
  const spent = await store.spendCode(club, partner, key('code'), aLogin(), at(99));
  assert.deepEqual(spent, { outcome: 'unknown' });
  assert.equal(await findLogin(store), undefined);
});

check(
  'G-2: a spent code is found by every process',
  async ({ store, another }) => {
    await login(store);
    assert.ok(await findCode(store, 'code', 1));
    const { client, redirectUri, codeChallenge } = aCode();
    const [cut, challenge] = [redirectUri, codeChallenge].map((whole) => whole?.slice(0, 6));
    const code = { client, redirectUri: cut, codeChallenge: challenge };
    for (const one of [store, await another!()]) {
      assert.deepEqual(await findCode(one, 'code', 3601), { code, spentFor: aLogin().place });
      assert.equal(await findCode(one, 'code', 3601, otherClub), undefined);
    }
  },
);

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
    ['good', 'bad'].map((name) => remembered.get(name, () => undefined));
  const note = (name: string): void => {
    database.exec('INSERT INTO t VALUES (1)');
    remembered.get(name, () => 0);
    remembered.replace(name, 0, 1);
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
  const read = (): unknown => remembered.get('row', () => select.get()?.['n']);
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
