// Tests of the memory that the file store has of rows: how much it holds, and when it looks again. That what is
// remembered stands until somebody changes it, whoever it is, is the contract's.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { inTurn } from '../../../../src/lib/turn.ts';
import { Freshness, Remembered } from '../../../../src/store/sqlite/commits/freshness.ts';
import { Transactions } from '../../../../src/store/sqlite/commits/transactions.ts';
import { openScratchStore, withFile } from '../../file_directory.ts';
import { aClient, aCode, aLogin, anAnswer, at, club, key, partner } from '../../fixtures.ts';
import { findCode, findLogin, refresh } from '../../login.ts';
import { storeTest } from '../../with_store.ts';

const check = storeTest(openScratchStore);

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

test('the number of remembered rows is bounded; missing rows are not remembered', () => {
  const database = new DatabaseSync(':memory:');
  const remembered = new Remembered<number>(new Freshness(database), 100);
  let reads = 0;
  const ask = (name: number, found: number | undefined) =>
    remembered.get(`${name}`, () => {
      reads += 1;
      return found;
    });
  for (let n = 0; n < 100; n += 1) assert.equal(ask(n, n), n);
  // What is not there leaves no trace, however often strangers ask for it.
  for (let n = 0; n < 1000; n += 1) assert.equal(ask(-1 - n, undefined), undefined);
  assert.equal(reads, 1100);
  for (let n = 0; n < 100; n += 1) assert.equal(ask(n, -1), n);
  assert.equal(reads, 1100);
  assert.equal(ask(100, 100), 100);
  assert.equal(ask(0, -1), -1, 'read again');
  database.close();
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

/** A test of two processes' connections to a file with a table `t`. */
function withTwo(
  name: string,
  body: (own: DatabaseSync, other: DatabaseSync) => Promise<void> | void,
): void {
  withFile(name, async (path) => {
    mkdirSync(dirname(path));
    const [own, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    own.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)');
    await body(own, other);
    own.close();
    other.close();
  });
}

withTwo(
  'C-4: a request finds what was committed before it, whatever was read before',
  async (own, other) => {
    const transactions = new Transactions(own, []);
    const select = own.prepare('SELECT n FROM t');
    const look = (): unknown => {
      transactions.read();
      return select.get()?.['n'];
    };
    // Until no turn is under way that others have begun.
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    assert.equal(look(), 1, 'by a timer');
    other.exec('UPDATE t SET n = 2');
    const found = await new Promise((resolve) => {
      inTurn('requests', () => resolve(look()));
    });
    assert.equal(found, 2);
    transactions.endRead();
  },
);

withTwo(
  'HOSTILE 26: a transaction goes by nothing that another process has changed before it began',
  (own, other) => {
    const select = own.prepare('SELECT n FROM t');
    const fresh = new Freshness(own);
    const remembered = new Remembered<unknown>(fresh, 100);
    const transactions = new Transactions(own, [fresh]);
    const read = (): unknown => remembered.get('row', () => select.get()?.['n']);
    // However soon after the last look that is.
    const { mock: now } = mock.method(performance, 'now', () => 0);
    try {
      assert.equal(read(), 1);
      other.exec('UPDATE t SET n = 2');
      assert.equal(read(), 1, 'a look stands for a moment');
      assert.deepEqual(transactions.settle([read]), [{ value: 2 }]);
    } finally {
      now.restore();
    }
  },
);

withTwo(
  'DESIGN: in a turn that lasts, what another process has committed counts all the same',
  (own, other) => {
    const fresh = new Freshness(own);
    const before = fresh.epoch;
    other.exec('UPDATE t SET n = 2');
    const committedAt = performance.now();
    while (performance.now() - committedAt < 1);
    assert.notEqual(fresh.epoch, before);
  },
);
