// HOSTILE 16 to 20: passwords tried at one username, and who is kept out by that.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import type { ProgrammeId } from '../../src/oauth/client.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import type { Subject } from '../../src/oauth/member.ts';
import {
  type Club,
  type ClubOptions,
  codeFor,
  loginTarget,
  openClub,
  paths,
  redeem,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import {
  deviceOf,
  masked,
  openLogin,
  type OpenLogin,
  submitLogin,
  withoutFinished,
} from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { type Answer, post } from '../support/wire.ts';

/** A club with one login page open, at which anything may be typed. */
interface Door extends Club {
  readonly login: OpenLogin;
  readonly attempt: (username: string, password?: string, cookie?: string) => Promise<Answer>;
  /** So many wrong passwords. */
  readonly fail: (times: number, username?: string, cookie?: string) => Promise<void>;
}

async function openDoor(t: TestContext, options: ClubOptions = {}): Promise<Door> {
  const club = await openClub(t, options);
  const login = await openLogin(club.url, loginTarget(club.client));
  const attempt: Door['attempt'] = (username, password = club.member.password, cookie) => {
    const headers = cookie === undefined ? {} : { cookie: `${login.cookie}; ${cookie}` };
    return submitLogin(club.url, login, { username, password }, headers);
  };
  const fail: Door['fail'] = async (times, username = 'ann', cookie) => {
    for (let time = 0; time < times; time += 1) {
      assert.equal((await attempt(username, 'wrong', cookie)).status, 200);
    }
  };
  return { ...club, login, attempt, fail };
}

const isIn = ({ status }: Answer): boolean => status === 302;

test('HOSTILE 16 17: unknown, wrong, locked, disabled and malformed are one answer to the byte', async (t) => {
  const failing = failingStore();
  const door = await openDoor(t, { store: failing.store });
  await door.addMember({ username: 'dora' });
  const subject = 'subject-of-dora' as Subject;
  await door.store.change('member', 'executive-club' as ProgrammeId, subject, (member) => ({
    ...member,
    status: 'disabled',
  }));
  await door.addMember({ username: 'locked' });
  await door.fail(6, 'locked');
  const attempts: readonly (readonly [username: string, password: string])[] = [
    ['ann', 'wrong'],
    ['nobody', door.member.password],
    ['dora', door.member.password],
    ['locked', door.member.password],
    ['nobody', 'x'.repeat(1025)],
    ['ann', `${door.member.password}${'x'.repeat(40_000)}`],
    ['a'.repeat(201), door.member.password],
    ['ann\u0000', door.member.password],
    ['\u200b', door.member.password],
    ['a&b<c', 'wrong'],
    ['\u202eann\ue000', door.member.password],
  ];
  const answers: Answer[] = [];
  const looks: number[] = [];
  const { mock: hashing } = t.mock.method(Worker.prototype, 'postMessage');
  for (const [username, password] of attempts) {
    failing.calls.length = 0;
    hashing.resetCalls();
    answers.push(masked(await door.attempt(username, password), door.login, username));
    looks.push(failing.calls.filter((verb) => verb === 'findBy member').length);
    // HOSTILE 17: nor does any take less than another.
    assert.equal(hashing.callCount(), 1, JSON.stringify(username));
  }
  // What is locked or malformed is not even looked for, however long it is.
  assert.deepEqual(looks, [1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0]);
  const [expected] = answers;
  for (const [index, answer] of answers.entries()) {
    assert.deepEqual(answer, expected, JSON.stringify(attempts[index]?.[0]));
  }
  assert.deepEqual(readPage(expected ?? assert.fail()).text, [
    'The username or password was not recognised. Please try again.',
  ]);
});

test('HOSTILE 18: of 50 wrong passwords at once, no more than five reach the directory', async (t) => {
  const failing = failingStore();
  const door = await openDoor(t, { store: failing.store });
  failing.calls.length = 0;
  const answers = await Promise.all(Array.from({ length: 50 }, () => door.attempt('ann', 'wrong')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const asked = failing.calls.filter((verb) => verb === 'findBy member');
  assert.equal(asked.length, 5);
  assert.ok(!isIn(await door.attempt('ann')));
});

test('HOSTILE 19: however a name is typed, its failures are counted together', async (t) => {
  const door = await openDoor(t);
  const spellings = ['ann', ' ANN ', '\u{ff21}nn', 'a\u{200b}nn', 'Ann\u{ad}'];
  for (const spelling of spellings) await door.fail(1, spelling);
  assert.ok(!isIn(await door.attempt('ann')));
  assert.ok(!isIn(await door.attempt('aNN')));
  await door.addMember({ username: 'anna' });
  assert.ok(isIn(await door.attempt('anna')));
});

test('HOSTILE 20: failures without end lock for a while only; the lock is not prolonged', async (t) => {
  const door = await openDoor(t, { over: 'login: { lifetime: 2h }' });
  await door.fail(5);
  for (let minute = 1; minute <= 5; minute += 1) {
    door.clock.advance(60);
    await Promise.all(Array.from({ length: 10 }, () => door.attempt('ann', 'wrong')));
  }
  // The sixth attempt, at the first minute, has locked for fifteen.
  door.clock.advance(11 * 60 - 1);
  assert.ok(!isIn(await door.attempt('ann')));
  door.clock.advance(1);
  assert.ok(isIn(await door.attempt('ann')));
});

test('HOSTILE 20: failures that lie apart, or before a login, lock nobody out', async (t) => {
  const door = await openDoor(t, { over: 'login: { lifetime: 2h }' });
  await door.fail(4);
  assert.ok(isIn(await door.attempt('ann')));
  await door.fail(4);
  door.clock.advance(900);
  await door.fail(4);
  assert.ok(isIn(await door.attempt('ann')));
});

test('HOSTILE 20: an operator can end the lock', async (t) => {
  const door = await openDoor(t);
  await door.fail(6);
  assert.ok(!isIn(await door.attempt('ann')));
  const account = door.keyring.accountDigest('ann');
  assert.equal(
    await door.store.settleAttempt(
      'executive-club' as ProgrammeId,
      account,
      'match',
      door.clock.now(),
    ),
    true,
  );
  assert.ok(isIn(await door.attempt('ann')));
});

test('HOSTILE 20: strangers cannot lock a member out of the browser it has logged in with', async (t) => {
  const door = await openDoor(t);
  const cookie = deviceOf(await door.attempt('ann'));
  await door.fail(6);
  assert.ok(!isIn(await door.attempt('ann')));
  const answer = await door.attempt(' Ann', door.member.password, cookie);
  assert.ok(isIn(answer));
  // Strangers stay out: the owner's login has not ended their lock.
  assert.equal((await door.attempt('ann')).status, 200);
  const code = new URL(answer.headers['location'] ?? '').searchParams.get('code') ?? '';
  tokensIn(await redeem(door, code));
  assert.notEqual(deviceOf(answer), cookie);
});

test('HOSTILE 18: a known browser has a limit of its own, which does not touch the others', async (t) => {
  const door = await openDoor(t);
  const [cookie, another] = [await door.attempt('ann'), await door.attempt('ann')].map(deviceOf);
  await door.fail(6, 'ann', cookie);
  assert.ok(!isIn(await door.attempt('ann', undefined, cookie)));
  assert.ok(isIn(await door.attempt('ann')));
  assert.ok(isIn(await door.attempt('ann', undefined, another)));
});

test('HOSTILE 14 18: a device cookie lets in nobody, and is good for its own member and programme', async (t) => {
  const door = await openDoor(t);
  const bob = await door.addMember({ username: 'bob', password: 'another one' });
  const anns = deviceOf(await door.attempt('ann'));
  assert.ok(!isIn(await door.attempt('ann', 'wrong', anns)));
  assert.ok(!isIn(await door.attempt('ann', '', anns)));
  await door.fail(6, 'bob');
  const [name = '', value = ''] = anns.split('=');
  const forged = [anns, `${name}=x`, `${name}=${value.slice(0, -1)}`, `${name}=`];
  for (const cookie of [...forged, `${anns}; ${name}=${value}`]) {
    assert.ok(!isIn(await door.attempt('bob', bob.password, cookie)), cookie.slice(0, 30));
  }
  const other = await openDoor(t, { masterKey: new Uint8Array(32).fill(8) });
  await other.fail(6);
  assert.ok(!isIn(await other.attempt('ann', undefined, anns)));
});

test('a device is known for half a year from its last login', async (t) => {
  const door = await openDoor(t, { over: 'login: { lifetime: 3650d }' });
  const cookie = deviceOf(await door.attempt('ann'));
  const login = await openLogin(door.url, loginTarget(door.client));
  const again = (): Promise<Answer> =>
    submitLogin(door.url, login, door.member, { cookie: `${login.cookie}; ${cookie}` });
  for (const [seconds, known] of [
    [180 * 86_400 - 1, true],
    [1, false],
  ] as const) {
    door.clock.advance(seconds);
    for (let time = 0; time < 6; time += 1) {
      await submitLogin(door.url, login, { ...door.member, password: 'wrong' });
    }
    assert.equal(isIn(await again()), known);
  }
});

test('G-22: what the directory could not say is counted for nobody', async (t) => {
  const failing = failingStore();
  const door = await openDoor(t, { store: failing.store });
  failing.fail('findBy member', new Unavailable('the directory is away'));
  for (let time = 0; time < 20; time += 1) {
    assert.equal((await door.attempt('ann')).status, 503);
  }
  failing.fail('findBy member', new Error('a fault of ours'));
  for (let time = 0; time < 20; time += 1) {
    assert.equal((await door.attempt('ann')).status, 500);
  }
  failing.heal();
  assert.ok(isIn(await door.attempt('ann')));

  // Nor does it wipe out what was counted before.
  await door.fail(4);
  failing.fail('findBy member', new Unavailable('the directory is away'));
  assert.equal((await door.attempt('ann')).status, 503);
  failing.heal();
  await door.fail(1);
  assert.ok(!isIn(await door.attempt('ann')));
});

test('G-22 HOSTILE 63: where attempts cannot be counted, none is made, at locked names as at others', async (t) => {
  const failing = failingStore();
  const door = await openDoor(t, { store: failing.store });
  await door.fail(6, 'locked');
  failing.fail('reserveAttempt', new Unavailable('the store is away'));
  failing.calls.length = 0;
  const answer = await door.attempt('ann');
  assert.equal(answer.headers['retry-after'], '5');
  assert.equal(answer.status, 503);
  const locked = await door.attempt('locked');
  assert.deepEqual(masked(locked, door.login, 'locked'), masked(answer, door.login, 'ann'));
  assert.ok(!failing.calls.includes('findBy member'));
});

test('with the lockout off nobody is locked out, and no browser is known', async (t) => {
  const door = await openDoor(t, { over: 'login: { lockout: off }' });
  await door.fail(8);
  const answer = await door.attempt('ann');
  assert.ok(isIn(answer));
  assert.equal(withoutFinished(answer).headers['set-cookie'], undefined);
});

test('a programme says how many failures lock, and for how long', async (t) => {
  const door = await openDoor(t, { over: 'login: { lockout: { attempts: 1, lock: 10s } }' });
  await door.fail(2);
  door.clock.advance(9);
  assert.ok(!isIn(await door.attempt('ann')));
  door.clock.advance(1);
  assert.ok(isIn(await door.attempt('ann')));
});

test('HOSTILE 13: a form that is not ours counts as no attempt', async (t) => {
  const door = await openDoor(t);
  for (let time = 0; time < 10; time += 1) {
    const fields = { ...door.login.hidden, csrf: 'x', username: 'ann', password: 'wrong' };
    const answer = await post(door.url, paths.page, fields, { cookie: door.login.cookie });
    assert.equal(answer.status, 403);
  }
  for (let time = 0; time < 10; time += 1) await door.attempt('ann', '');
  assert.ok(isIn(await door.attempt('ann')));
  assert.ok(await codeFor(door));
});
