// FAULTS 22: more logins than there is room for, and what becomes of them and of everybody else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { hashing } from '../../src/members/hashing.ts';
import { askPartnerToken, loginTarget, openClub, tokensIn } from '../support/club.ts';
import { masked, openLogin, submitLogin } from '../support/login.ts';

/** What a thread does that dies of its task. */
function dieOfIt(this: Worker): void {
  void this.terminate();
}

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
  tokensIn(await askPartnerToken(club));
  resolve();
  await flood;
  assert.equal((await submitLogin(club.url, login, club.member)).status, 302);
});

test('HOSTILE 16, 17, 63: while there is no room locked names are told what others are, and a first guess leaves nothing behind by which names are told apart', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  const guess = (username: string) =>
    submitLogin(club.url, login, { username, password: 'wrong-password' });
  const { promise, resolve } = Promise.withResolvers<void>();
  t.after(() => resolve());
  for (let time = 0; time < 6; time += 1) await guess('locked');
  const flood = Promise.allSettled(Array.from({ length: 20_000 }, () => hashing(() => promise)));
  const [locked, nobody] = [await guess('locked'), await guess('nobody')];
  assert.equal(nobody.status, 503);
  assert.deepEqual(masked(locked, login, 'locked'), masked(nobody, login, 'nobody'));
  resolve();
  await flood;
  const { mock: posts } = t.mock.method(Worker.prototype, 'postMessage', dieOfIt);
  assert.equal((await guess('nobody')).status, 503);
  posts.restore();
  const [unknown, known] = [await guess('nobody'), await guess(club.member.username)];
  assert.deepEqual([unknown.status, known.status], [200, 200]);
  const { username } = club.member;
  assert.deepEqual(masked(unknown, login, 'nobody'), masked(known, login, username));
});

test('FAULTS 22: a hashing thread that dies costs its login nothing but its answer, and no later one anything', async (t) => {
  const club = await openClub(t);
  const login = await openLogin(club.url, loginTarget(club.client));
  const { mock: posts } = t.mock.method(Worker.prototype, 'postMessage', dieOfIt);
  // More often than the lockout would let anybody fail.
  for (let time = 0; time < 6; time += 1) {
    const answer = await submitLogin(club.url, login, club.member);
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '5']);
    assert.match(answer.body, /We are having difficulties\. Please try again later\./);
  }
  posts.restore();
  assert.equal((await submitLogin(club.url, login, club.member)).status, 302);
  assert.equal(club.events.length, 6);
  for (const { event, facts } of club.events) {
    assert.deepEqual([event, facts['programme']], ['unavailable', 'executive-club']);
    assert.equal(facts['detail'], 'a hashing thread has ended');
  }
});

test('FAULTS 19 and 22: told to stop, a server answers every login that waits for its hash', async (t) => {
  const club = await openClub(t);
  const members = await Promise.all(
    Array.from({ length: 12 }, (_, index) => club.addMember({ username: `member-${index}` })),
  );
  const logins = await Promise.all(
    members.map(() => openLogin(club.url, loginTarget(club.client))),
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  t.after(() => resolve());
  // As many as are hashed at once, on any machine.
  const before = Array.from({ length: 8 }, () => hashing(() => promise));
  const asked = t.mock.method(club.store, 'findBy').mock;
  const answers = Promise.all(
    logins.map(async (login, index) => {
      const { username, password } = members[index] ?? club.member;
      return (await submitLogin(club.url, login, { username, password })).status;
    }),
  );
  while (asked.callCount() < members.length) await sleep(5);
  const stopped = club.stop();
  resolve();
  assert.deepEqual(
    await answers,
    members.map(() => 302),
  );
  await Promise.all([stopped, ...before]);
});
