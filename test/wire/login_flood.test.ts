// FAULTS 22: more logins than there is room for, and what becomes of them and of everybody else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hashing } from '../../src/members/hashing.ts';
import { askTokens, loginTarget, openClub, tokensIn } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';

test('FAULTS 22: with no room for another password, a login is told of difficulties, nothing is counted, and tokens are issued', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  const { promise, resolve } = Promise.withResolvers<void>();
  t.after(() => resolve());
  // As many as are hashed at once, as many as may wait, and some more.
  const flood = Promise.allSettled(Array.from({ length: 20_000 }, () => hashing(() => promise)));
  // More often than the lockout would let anybody fail.
  for (let time = 0; time < 6; time += 1) {
    const answer = await submitLogin(club.url, login, club.member);
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '5']);
    assert.match(answer.body, /We are having difficulties\. Please try again later\./);
  }
  tokensIn(await askTokens(club, { grant_type: 'client_credentials' }));
  resolve();
  await flood;
  assert.equal((await submitLogin(club.url, login, club.member)).status, 302);
});
