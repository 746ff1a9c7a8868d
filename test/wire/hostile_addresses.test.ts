// Failed logins by address, and the browser of a member; else they are in hostile_addresses.transcript.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { type ClubOptions, loginTarget, openClub } from '../support/club.ts';
import { deviceOf, openLogin, submitLogin } from '../support/login.ts';
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

test('a member is let in at its own browser, whatever its neighbours at the address do', async (t) => {
  const street = await openStreet(t);
  const { password } = street.member;
  const cookie = deviceOf(await street.attempt('192.0.2.1', 'ann', password));
  for (const name of ['a', 'b', 'c']) await street.attempt('192.0.2.1', name);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password)), 429);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'ann', password, cookie)), 302);
  assert.equal(await statusOf(street.attempt('192.0.2.1', 'bob', password, cookie)), 429);
});
