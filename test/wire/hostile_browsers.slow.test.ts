// HOSTILE 60: members who have a browser, and flood the login from it: what it costs the others.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { hashing } from '../../src/members/hashing.ts';
import { loginTarget, openClub } from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { deviceOf, openLogin, submitLogin } from '../support/login.ts';
import { until } from '../support/until.ts';
import type { Answer } from '../support/wire.ts';

const limit = 6;
const over = `login: { lifetime: 2h, address_limit: { limit: ${limit}, window: 15m } }`;

/** A club with an open login page, behind a proxy that says where browsers are. */
async function openDoor(t: TestContext, settings: string) {
  const { store, calls } = failingStore();
  const trustedProxies = ['127.0.0.1/32'];
  const club = await openClub(t, { store, trustedProxies, over: settings });
  const login = await openLogin(club.url, loginTarget(club.client));
  let last = 0;
  /** An address that nobody has been at. */
  const elsewhere = (): string => `192.0.2.${(last += 1)}`;
  const attempt = (
    { password = club.member.password, username = club.member.username } = {},
    from = elsewhere(),
    cookie = '',
  ): Promise<Answer> => {
    const headers = { 'x-forwarded-for': from, cookie: `${login.cookie}; ${cookie}` };
    return submitLogin(club.url, login, { username, password }, headers);
  };
  const fail = async (times: number, from?: string, cookie?: string): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      assert.equal((await attempt({ password: 'wrong' }, from, cookie)).status, 200);
    }
  };
  return { ...club, calls, attempt, fail, elsewhere };
}

test('HOSTILE 60: logging in again gives a browser no more failures; they count for its address too', async (t) => {
  const door = await openDoor(t, over);
  const neighbour = await door.addMember({ username: 'bob' });
  const bobs = deviceOf(await door.attempt(neighbour));
  const [home, away] = [door.elsewhere(), door.elsewhere()];
  let cookie = deviceOf(await door.attempt());
  await door.fail(limit / 2, home, cookie);
  cookie = deviceOf(await door.attempt(undefined, home, cookie));
  await door.fail(limit / 2, home, cookie);
  assert.equal((await door.attempt(undefined, home, cookie)).status, 429);
  assert.equal((await door.attempt(undefined, home)).status, 429);
  // Elsewhere it is a browser like any other: locked with its username, and limited with its address.
  await door.fail(5, away, cookie);
  assert.equal((await door.attempt(undefined, undefined, cookie)).status, 200);
  await door.fail(1, away, cookie);
  assert.equal((await door.attempt(undefined, away, cookie)).status, 429);
  // A browser of another member at that address is not held to it.
  assert.equal((await door.attempt(neighbour, home, bobs)).status, 302);
  door.clock.advance(900);
  assert.equal((await door.attempt(undefined, home, cookie)).status, 302);
});

test('HOSTILE 60: all browsers of a member have one bound, and strangers do not add to it', async (t) => {
  const door = await openDoor(t, over);
  const cookies: string[] = [];
  for (let n = 0; n < 4; n += 1) cookies.push(deviceOf(await door.attempt()));
  // Strangers lock the username, and go on.
  await door.fail(2 * limit);
  assert.equal((await door.attempt()).status, 200);
  for (const cookie of cookies) {
    assert.equal((await door.attempt(undefined, undefined, cookie)).status, 302);
  }
  for (const cookie of cookies.slice(0, 3)) await door.fail(2, undefined, cookie);
  // It has used up what a known browser is allowed: now the lock of strangers holds for it.
  for (const cookie of cookies) {
    assert.equal((await door.attempt(undefined, undefined, cookie)).status, 200);
  }
  door.clock.advance(900);
  assert.equal((await door.attempt(undefined, undefined, cookies[3])).status, 302);
});

/** Ways to fill the queue: each sends as many logins as it is asked for. */
type Door = Awaited<ReturnType<typeof openDoor>>;
const floods: Readonly<Record<string, (door: Door) => Promise<() => Promise<Answer>>>> = {
  'an address, with ever other names': async (door) => {
    let name = 0;
    return () => door.attempt({ username: `nobody-${(name += 1)}` }, '198.51.100.1');
  },
  'a member, from ever other addresses': async (door) => () => door.attempt(),
  'a member with a browser, from ever other addresses': async (door) => {
    const cookie = deviceOf(await door.attempt());
    return () => door.attempt({ password: 'wrong' }, undefined, cookie);
  },
};

for (const [name, prepare] of Object.entries(floods)) {
  test(`HOSTILE 60: nobody else is turned away from a queue that is full of ${name}`, async (t) => {
    const door = await openDoor(t, 'login: { address_limit: off }');
    const bob = await door.addMember({ username: 'bob' });
    const send = await prepare(door);
    const { promise, resolve } = Promise.withResolvers<void>();
    t.after(() => resolve());
    // As many as are made at once, on any machine.
    const held = Array.from({ length: 8 }, () => hashing(() => promise));
    const count = (verb: string): number => door.calls.filter((call) => call === verb).length;
    const flood: Promise<unknown>[] = [];
    const refused: Answer[] = [];
    while (refused.length === 0) {
      const before = count('reserveAttempt');
      for (let n = 0; n < 50; n += 1) {
        flood.push(send().then((answer) => answer.status === 503 && refused.push(answer)));
      }
      await until(() => count('reserveAttempt') === before + 50, 'never: they are looked at');
      await turn();
    }
    const [looks, before] = [count('findBy member'), refused.length];
    const answer = door.attempt(bob);
    await until(
      () => count('findBy member') > looks && refused.length > before,
      'never: he takes a place',
    );
    resolve();
    await Promise.all([...held, ...flood]);
    assert.equal((await answer).status, 302);
  });
}
