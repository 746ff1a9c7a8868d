// Failed logins by the address they come from: what is counted, by which address, and what follows.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import { type ClubOptions, loginTarget, openClub } from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { deviceOf, openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import type { Answer } from '../support/wire.ts';

const three = 'login: { lifetime: 2h, address_limit: { limit: 3, window: 60s } }';

/** A club behind a trusted proxy, which says where each attempt comes from. */
async function openStreet(t: TestContext, options: ClubOptions = {}) {
  const trustedProxies = ['127.0.0.1/32'];
  const club = await openClub(t, { over: three, trustedProxies, ...options });
  const login = await openLogin(club.url, loginTarget(club.client));
  const attempt = (
    from: string,
    username: string,
    password = 'wrong',
    cookie = '',
  ): Promise<Answer> =>
    submitLogin(
      club.url,
      login,
      { username, password },
      { 'x-forwarded-for': from, cookie: `${login.cookie}; ${cookie}` },
    );
  return { ...club, login, attempt };
}

const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

test('an address with too many failures is told so, in the programme’s page, until its window ends', async (t) => {
  const street = await openStreet(t);
  for (const name of ['a', 'b', 'c']) {
    assert.equal(await statusOf(street.attempt('192.0.2.1', name)), 200);
  }
  street.clock.advance(20);
  const { password } = street.member;
  const { 'retry-after': wait, ...headers } = (await street.attempt('192.0.2.1', 'ann', password))
    .headers;
  assert.equal(wait, '40');
  const answer = await street.attempt('192.0.2.1', 'ann', password);
  assert.deepEqual(readPage({ ...answer, headers }), {
    status: 429,
    title: 'You cannot log in at the moment',
    heading: 'You cannot log in at the moment',
    text: ['There have been too many failed attempts from your network. Please try again later.'],
  });
  // Its neighbours are not concerned, and tries in vain do not prolong it.
  assert.equal(await statusOf(street.attempt('192.0.2.2', 'ann', password)), 302);
  street.clock.advance(40);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 302);
});

test('HOSTILE 21: the hop that the trusted proxy took the attempt from counts, IPv6 by /64', async (t) => {
  const street = await openStreet(t);
  for (let sent = 0; sent < 3; sent += 1) {
    const from = `10.9.8.${sent}, 2001:db8::${sent}`;
    assert.equal(await statusOf(street.attempt(from, `name${sent}`)), 200);
  }
  assert.equal(await statusOf(street.attempt('2001:db8::ffff', 'other')), 429);
  assert.equal(await statusOf(street.attempt('2001:db8:0:1::1', 'other')), 200);
});

test('HOSTILE 21: who is no proxy is counted by its socket, whatever it claims', async (t) => {
  const street = await openStreet(t, { trustedProxies: [] });
  for (let sent = 0; sent < 3; sent += 1) {
    assert.equal(await statusOf(street.attempt(`192.0.2.${sent}`, `name${sent}`)), 200);
  }
  assert.equal(await statusOf(street.attempt('192.0.2.99', 'other')), 429);
});

test('HOSTILE 13: what succeeds, is blank, forged or in doubt counts nothing', async (t) => {
  const failing = failingStore();
  const street = await openStreet(t, { store: failing.store });
  const { password } = street.member;
  for (let sent = 0; sent < 4; sent += 1) {
    assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 302);
    assert.equal(await statusOf(street.attempt('192.0.2.1', '', '')), 200);
    const forged = { ...street.login, hidden: { ...street.login.hidden, csrf: 'x' } };
    const typed = { username: 'ann', password: 'wrong' };
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    assert.equal(await statusOf(submitLogin(street.url, forged, typed, headers)), 403);
  }
  failing.fail('findBy member', new Unavailable('away'));
  for (let sent = 0; sent < 4; sent += 1) {
    assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 503);
  }
  failing.heal();
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 302);
});

test('what is malformed or locked costs as much as any failure, and counts as one', async (t) => {
  const street = await openStreet(t);
  const { password } = street.member;
  for (let sent = 0; sent < 3; sent += 1) {
    assert.equal(await statusOf(street.attempt('192.0.2.1', 'a'.repeat(300))), 200);
  }
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 429);
  for (let from = 10; from < 16; from += 1) await street.attempt(`192.0.2.${from}`, 'locked');
  for (let sent = 0; sent < 3; sent += 1) {
    assert.equal(await statusOf(street.attempt('192.0.2.2', 'locked')), 200);
  }
  assert.equal(await statusOf(street.attempt('192.0.2.2', 'ann', password)), 429);
});

test('a member is let in at its own browser, whatever its neighbours at the address do', async (t) => {
  const street = await openStreet(t);
  const { password } = street.member;
  const cookie = deviceOf(await street.attempt('192.0.2.1', 'ann', password));
  for (const name of ['a', 'b', 'c']) await street.attempt('192.0.2.1', name);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 429);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password, cookie)), 302);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'bob', password, cookie)), 429);
});

test('with the limit off, no address is refused', async (t) => {
  const street = await openStreet(t, { over: 'login: { address_limit: off }' });
  for (let sent = 0; sent < 8; sent += 1) {
    assert.equal(await statusOf(street.attempt('192.0.2.1', `name${sent}`)), 200);
  }
});
