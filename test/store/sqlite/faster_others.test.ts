// Verbs that meet others who are faster each time: they come to an end.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { Unavailable } from '../../../src/oauth/failure.ts';
import type { Answer } from '../../../src/oauth/grant.ts';
import type { Db } from '../../../src/store/sql/db.ts';
import { CommitQueue } from '../../../src/store/sqlite/commits/commit_queue.ts';
import { Freshness } from '../../../src/store/sqlite/commits/freshness.ts';
import { Transactions } from '../../../src/store/sqlite/commits/transactions.ts';
import { sqliteDb } from '../../../src/store/sqlite/driver.ts';
import { fileEras } from '../../../src/store/sqlite/eras.ts';
import { schema } from '../../../src/store/sqlite/schema.ts';
import { codeVerbs } from '../../../src/store/verbs/codes.ts';
import { loginVerbs } from '../../../src/store/verbs/logins.ts';
import { aCode, aLogin, anAnswer, at, club, key, partner } from '../fixtures.ts';

function memoryDb(): Db {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  const fresh = new Freshness(database);
  const transactions = new Transactions(database, [fresh]);
  const queue = new CommitQueue(transactions);
  return sqliteDb({ database, queue, transactions, fresh, eras: fileEras(database, fresh) });
}

test('HOSTILE 29: a login is revoked, however fast its client refreshes', async () => {
  const db = memoryDb();
  const client = loginVerbs(db);
  let answer: Answer = aLogin();
  let refreshes = 0;
  const refresh = async (): Promise<void> => {
    const next = anAnswer(aLogin(), `answer ${refreshes}`);
    assert.ok(await client.advanceLogin(club, aLogin().place, answer, next));
    answer = next;
    refreshes += 1;
  };
  const { revokeLogin, findLogin } = loginVerbs({
    ...db,
    writer: (asked, second) => {
      const write = db.writer(asked, second);
      if (!asked.name.startsWith('revoke_login')) return write;
      return async (...change) => {
        await refresh();
        return write(...change);
      };
    },
  });
  await client.startLogin(aLogin());
  await revokeLogin(club, aLogin().place, at(1));
  assert.equal(refreshes, 3);
  const found = await findLogin(club, aLogin().place);
  assert.equal(found?.revoked, true);
  const late = anAnswer(aLogin(), 'late');
  for (const from of [answer, found]) {
    assert.equal(await client.advanceLogin(club, aLogin().place, from, late), false);
  }
});

test('FAULTS 13: spending a code that others change each time ends with an outage', async () => {
  const db = memoryDb();
  const revoke = (): Promise<void> => assert.fail('it is no replay');
  let tries = 0;
  const faster = async () => {
    tries += 1;
    return { done: 0, wasUnknown: false };
  };
  const { issueCode, spendCode } = codeVerbs({ ...db, chainWriter: () => faster }, revoke);
  await issueCode(aCode());
  const spent = spendCode(club, partner, key('code'), aLogin(), at(1));
  await assert.rejects(spent, (error) => {
    assert.ok(error instanceof Unavailable);
    return error.message === 'store: a code changes faster than it can be spent';
  });
  assert.equal(tries, 200);
});
