// Logins whose browser hangs up: what waits for its hash is not hashed for nobody, and what has been
// begun counts as if somebody had waited (FAULTS 22, HOSTILE 18, 21).

import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { hashing } from '../../src/members/hashing.ts';
import {
  askPartnerToken,
  askTokens,
  type ClubOptions,
  loginTarget,
  openClub,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { deviceOf, openLogin, submitLogin } from '../support/login.ts';
import { until } from '../support/until.ts';
import type { Answer } from '../support/wire.ts';

type Fields = Readonly<Record<string, string>>;

interface Sent {
  /** Closes the connection; resolves once it is. */
  readonly hangUp: () => Promise<void>;
}

/** Posts a form and waits for no answer. */
function postForm(base: string, path: string, fields: Fields, headers: Fields): Sent {
  const body = new URLSearchParams(fields).toString();
  const sent: ClientRequest = request(new URL(path, base), {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  // That it was cut off.
  sent.on('error', () => undefined);
  sent.end(body);
  return {
    hangUp: () =>
      new Promise((resolve) => {
        sent.once('close', resolve);
        sent.destroy();
      }),
  };
}

/** Keeps all room for hashes taken until it is released; at most eight are made at once. */
function holdHashing(t: TestContext): { readonly release: () => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  t.after(() => resolve());
  const held = Promise.all(Array.from({ length: 8 }, () => hashing(() => promise)));
  return {
    release: async () => {
      resolve();
      await held;
    },
  };
}

/** A club with an open login page, behind a proxy that says where browsers are. */
async function openDoor(t: TestContext, options: ClubOptions = {}) {
  const { store, calls } = failingStore();
  const trustedProxies = ['127.0.0.1/32'];
  const club = await openClub(t, { store, trustedProxies, ...options });
  const login = await openLogin(club.url, loginTarget(club.client));
  const headersFrom = (from: string, cookie = ''): Fields => ({
    'x-forwarded-for': from,
    cookie: `${login.cookie}; ${cookie}`,
  });
  const count = (verb: string): number => calls.filter((name) => name === verb).length;
  return {
    ...club,
    login,
    count,
    attempt: (
      password = club.member.password,
      from = '192.0.2.1',
      cookie?: string,
    ): Promise<Answer> => {
      const fields = { username: club.member.username, password };
      return submitLogin(club.url, login, fields, headersFrom(from, cookie));
    },
    send: (password = club.member.password, from = '192.0.2.1', cookie?: string): Sent => {
      const fields = { ...login.hidden, username: club.member.username, password };
      return postForm(club.url, login.action, fields, headersFrom(from, cookie));
    },
  };
}

type Door = Awaited<ReturnType<typeof openDoor>>;

/** Attempts that wait for room until their browsers hang up, one after another. */
async function leaveWaiting(door: Door, times: number, send: () => Sent): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const [asked, ended] = [door.count('findBy member'), door.count('settleAttempt')];
    const sent = send();
    await until(() => door.count('findBy member') > asked, 'never: the attempt waits');
    await turn();
    await sent.hangUp();
    // Its place among the account's attempts is given back.
    await until(() => door.count('settleAttempt') > ended, 'never: the attempt is dropped');
  }
}

test('FAULTS 22: what waits for its hash is dropped with its browser: nothing is hashed, and the member is not locked out', async (t) => {
  const door = await openDoor(t);
  const held = holdHashing(t);
  const { mock: posts } = t.mock.method(Worker.prototype, 'postMessage');
  // More often than the lockout would let anybody fail.
  await leaveWaiting(door, 6, () => door.send());
  await held.release();
  assert.equal((await door.attempt()).status, 302);
  assert.equal(posts.callCount(), 1);
  assert.deepEqual(door.events, []);
});

test('FAULTS 22: a place in the queue is not to be had for nothing: it counts for its address, and for a known browser', async (t) => {
  const over = 'login: { address_limit: { limit: 3, window: 15m } }';
  const door = await openDoor(t, { over });
  const cookie = deviceOf(await door.attempt());
  const held = holdHashing(t);
  await leaveWaiting(door, 3, () => door.send());
  await leaveWaiting(door, 3, () => door.send(undefined, '192.0.2.3', cookie));
  await held.release();
  const statuses: readonly (readonly [from: string, cookie: string, status: number])[] = [
    ['192.0.2.1', '', 429],
    ['192.0.2.2', '', 302],
    ['192.0.2.3', '', 429],
    ['192.0.2.3', cookie, 429],
    // It is a browser like any other now.
    ['192.0.2.4', cookie, 302],
  ];
  for (const [from, device, status] of statuses) {
    assert.equal((await door.attempt(undefined, from, device)).status, status, `${from} ${device}`);
  }
});

test('HOSTILE 18: a guess whose hash has begun counts, whoever hangs up', async (t) => {
  const door = await openDoor(t);
  const begun: (() => void)[] = [];
  const post = Reflect.get(Worker.prototype, 'postMessage');
  // The thread takes its time, so that the browser is gone before it is done.
  t.mock.method(Worker.prototype, 'postMessage', function later(this: Worker, ...task: never[]) {
    begun.push(() => void Reflect.apply(post, this, task));
  });
  const goOn = (): void => begun.splice(0).forEach((go) => go());
  // A thread that waits for its task would keep the test from ending.
  t.after(goOn);
  for (let guess = 1; guess <= 5; guess += 1) {
    const sent = door.send('wrong');
    await until(() => begun.length === 1, 'never: its hash has begun');
    await sent.hangUp();
    // The server has seen that by the time it has answered somebody else.
    tokensIn(await askPartnerToken(door));
    goOn();
    await until(() => door.count('settleAttempt') === guess, 'never: it is judged');
  }
  t.mock.restoreAll();
  assert.equal((await door.attempt()).status, 200);
});

test('P-9: a partner that hangs up leaves the queue too', async (t) => {
  const over = `
token_endpoints: { grant: { inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: grant, role: member } }`;
  const door = await openDoor(t, { over });
  const held = holdHashing(t);
  const { mock: posts } = t.mock.method(Worker.prototype, 'postMessage');
  const { username, password } = door.member;
  const fields = { grant_type: 'password', username, password };
  const headers = { authorization: door.client.basic };
  await leaveWaiting(door, 6, () =>
    postForm(door.url, '/executive-club/api/grant', fields, headers),
  );
  await held.release();
  assert.equal(posts.callCount(), 0);
  tokensIn(await askTokens(door, fields));
  assert.deepEqual(door.events, []);
});
