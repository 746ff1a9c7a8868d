// FAULTS 23: more requests than there is time for: each dialect's refusal, which costs nothing, and the
// share of time that every kind of request keeps.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askPartnerToken,
  codeFor,
  loginTarget,
  openClub,
  redeem,
  refused,
  tokensIn,
} from '../support/club.ts';
import { overload } from '../support/overload.ts';
import { askKey, openPartnerClub, refused as partnerRefused } from '../support/partner_club.ts';
import { type Answer, ask, rawExchange } from '../support/wire.ts';

/** Any number of seconds that a refusal may name. */
function unspread(answer: Answer): Answer {
  const { 'retry-after': seconds = '' } = answer.headers;
  assert.match(seconds, /^[1-5]$/);
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1-5' } };
}

const soon = { 'retry-after': '1-5' };

test('FAULTS 23, HOSTILE 57: a token request too many is refused in the dialect, and spends no code', async (t) => {
  const club = await openClub(t);
  const code = await codeFor(club);
  const end = overload(t, 'token');
  const refusal = refused(503, { error: 'temporarily_unavailable' }, soon);
  assert.deepEqual(unspread(await redeem(club, code)), refusal);
  assert.deepEqual(unspread(await askPartnerToken(club)), refusal);
  // Verify and logins keep their shares.
  assert.equal((await ask(club.url, '/executive-club/verify/none')).status, 401);
  assert.equal((await ask(club.url, loginTarget(club.client))).status, 302);
  assert.equal((await ask(club.url, '/nowhere')).status, 404);
  await end();
  tokensIn(await askPartnerToken(club));
  tokensIn(await redeem(club, code));
});

test('FAULTS 23: another dialect has other words', async (t) => {
  const club = await openPartnerClub(t);
  overload(t, 'token');
  const answer = await askKey(club, { grant_type: 'authorization_code', code: 'any' });
  const refusal = partnerRefused(500, 'temporarily_unavailable', 'Temporarily unavailable');
  assert.deepEqual(unspread(answer), {
    ...refusal,
    headers: { ...refusal.headers, ...soon },
  });
});

test('FAULTS 23: a body in chunks is its own kind of work, refused in the dialect', async (t) => {
  const club = await openPartnerClub(t);
  const send = (path: string): Promise<string> =>
    rawExchange(
      club.url,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    );
  const end = overload(t, 'other');
  assert.match(await send('/second-club/secure/refresh'), /^HTTP\/1\.1 400 /);
  await end();
  overload(t, 'token');
  assert.match(
    await send('/second-club/secure/refresh'),
    /^HTTP\/1\.1 500 [^]*\r\nRetry-After: [1-5]\r\n[^]*\r\nConnection: close\r\n[^]*"error":"temporarily_unavailable"/,
  );
  assert.match(await send('/nowhere'), /^HTTP\/1\.1 404 /);
});

test('FAULTS 22, 23: a login too many is told of difficulties, and tokens are issued', async (t) => {
  const club = await openClub(t);
  overload(t, 'login');
  for (const target of [loginTarget(club.client), '/executive-club/login?transaction=any']) {
    const answer = unspread(await ask(club.url, target));
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal('set-cookie' in answer.headers, false);
    assert.match(answer.body, /We are having difficulties\. Please try again later\./);
  }
  tokensIn(await askPartnerToken(club));
});

test('FAULTS 23: a gateway is refused by a status that it takes for an outage', async (t) => {
  const club = await openClub(t);
  overload(t, 'verify');
  const refusal = refused(503, { error: 'temporarily_unavailable' }, soon);
  assert.deepEqual(unspread(await ask(club.url, '/executive-club/verify/none')), refusal);
  tokensIn(await askPartnerToken(club));
});

test('FAULTS 23: what no endpoint answers has a share of its own', async (t) => {
  const club = await openClub(t);
  overload(t, 'other');
  for (const method of ['GET', 'TRACE']) {
    assert.deepEqual(unspread(await ask(club.url, '/nowhere', { method })), {
      status: 503,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...soon },
      body: '{"error":"temporarily_unavailable"}',
    });
  }
  tokensIn(await askPartnerToken(club));
});

test('FAULTS 23: a document whose answer asks the store for an origin waits for its turn', async (t) => {
  const path = '/.well-known/oauth-authorization-server/executive-club';
  const ofPages = 'client: { authentication: { methods: [basic, none], when_both: refuse } }';
  const over = `${ofPages}\nauthorize: { pkce: required }\nmetadata: on\ncors: on\n`;
  const club = await openClub(t, { over });
  const { status } = await ask(club.url, path);
  assert.equal(status, 200);
  overload(t, 'other');
  const { headers, ...others } = await ask(club.url, path);
  assert.deepEqual(others, { status: 503, body: '{"error":"temporarily_unavailable"}' });
  assert.equal(headers['vary'], 'Origin');
});

test('FAULTS 23: a refused connection is read again, its body discarded', async (t) => {
  const club = await openClub(t);
  overload(t, 'token');
  const body = 'grant_type=client_credentials';
  const one = (more: string): string =>
    `POST /executive-club/api/grant HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await rawExchange(club.url, `${one('')}${one('Connection: close\r\n')}`);
  assert.equal(answers.match(/HTTP\/1\.1 503 Service Unavailable\r\n/g)?.length, 2, answers);
});
