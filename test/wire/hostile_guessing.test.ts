// HOSTILE 42: wrong client secrets in numbers, and whom they keep out: not the partner.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askTokens,
  type Club,
  codeFor,
  openClub,
  redeem,
  refused,
  tokensIn,
  unknownClient,
} from '../support/club.ts';
import type { Answer } from '../support/wire.ts';

const partnerToken = { grant_type: 'client_credentials' };
const proxied = { trustedProxies: ['127.0.0.1/32'] };
const throttled = (seconds: number): Answer =>
  refused(429, { error: 'too_many_tokens' }, { 'retry-after': String(seconds) });

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** A token request with a secret, by way of a trusted proxy that names the caller. */
function ask(club: Club, id: string, secret: string, from = '192.0.2.1'): Promise<Answer> {
  const headers = { authorization: basic(id, secret), 'x-forwarded-for': from };
  return askTokens(club, partnerToken, headers);
}

test('HOSTILE 42: 1,000 wrong secrets are throttled, known client or not, and the right one passes', async (t) => {
  const club = await openClub(t);
  for (const id of [club.client.id, 'partnerapi-99999']) {
    const answers: Answer[] = [];
    for (let sent = 0; sent < 1000; sent += 50) {
      const some = Array.from({ length: 50 }, () => {
        return askTokens(club, partnerToken, { authorization: basic(id, 'wrong') });
      });
      answers.push(...(await Promise.all(some)));
    }
    for (const answer of answers.slice(0, 600)) assert.deepEqual(answer, unknownClient);
    for (const answer of answers.slice(600)) assert.deepEqual(answer, throttled(60));
  }
  // Nor do they cost anything of the budget of requests, which is as large.
  assert.equal((await askTokens(club, partnerToken)).status, 200);
  tokensIn(await redeem(club, await codeFor(club)));

  // The window ends, whatever came during it.
  club.clock.advance(59);
  const wrong = { authorization: basic(club.client.id, 'wrong') };
  assert.deepEqual(await askTokens(club, partnerToken, wrong), throttled(1));
  club.clock.advance(1);
  assert.deepEqual(await askTokens(club, partnerToken, wrong), unknownClient);
});

const three = 'client: { authentication: { failure_limit: { limit: 3, window: 10s } } }';

test('HOSTILE 42: each client and each address has a count of its own; IPv6 counts by /64', async (t) => {
  const club = await openClub(t, { over: three, ...proxied });
  const { id } = club.client;
  for (let sent = 0; sent < 3; sent += 1) {
    assert.deepEqual(await ask(club, id, 'wrong', `2001:db8::${sent}`), unknownClient);
  }
  assert.deepEqual(await ask(club, id, 'wrong', '2001:db8::ffff'), throttled(10));
  assert.deepEqual(await ask(club, id, 'wrong', '2001:db8:0:1::1'), unknownClient);
  assert.deepEqual(await ask(club, 'partnerapi-99999', 'wrong', '2001:db8::1'), unknownClient);
});

test('HOSTILE 42: a disabled client is one like those that are unknown', async (t) => {
  const club = await openClub(t, { over: three });
  const disabled = { id: 'partnerapi-00002', more: { status: 'disabled' } } as const;
  const { secret, id } = await club.addClient(disabled);
  for (let sent = 0; sent < 3; sent += 1) {
    assert.deepEqual(await ask(club, id, secret), unknownClient);
  }
  assert.deepEqual(await ask(club, id, secret), throttled(10));
});

test('HOSTILE 21 42: what a caller writes into X-Forwarded-For gives it no other count', async (t) => {
  const club = await openClub(t, { over: three });
  for (let sent = 0; sent < 3; sent += 1) {
    assert.deepEqual(await ask(club, club.client.id, 'wrong', `192.0.2.${sent}`), unknownClient);
  }
  assert.deepEqual(await ask(club, club.client.id, 'wrong', '192.0.2.99'), throttled(10));
});

test('HOSTILE 42: with the limit off, a wrong secret is a wrong secret', async (t) => {
  const over = 'client: { authentication: { failure_limit: off } }';
  const club = await openClub(t, { over });
  for (let sent = 0; sent < 700; sent += 100) {
    const some = Array.from({ length: 100 }, () => ask(club, club.client.id, 'wrong'));
    for (const answer of await Promise.all(some)) assert.deepEqual(answer, unknownClient);
  }
});

test('C-8: what is wrong with a request before its client is told first, however many have failed', async (t) => {
  const club = await openClub(t, { over: three });
  const authorization = basic(club.client.id, 'wrong');
  for (let sent = 0; sent < 4; sent += 1) await askTokens(club, partnerToken, { authorization });
  const twice = await askTokens(club, 'grant_type=a&grant_type=b'.split('&').map(pair), {
    authorization,
  });
  assert.equal(twice.status, 400);
  assert.deepEqual(await askTokens(club, {}, { authorization }), throttled(10));
});

function pair(text: string): [string, string] {
  const [name = '', value = ''] = text.split('=');
  return [name, value];
}
