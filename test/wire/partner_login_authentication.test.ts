// Who asks for tokens at the partner-login clubs, and how that is told: Basic credentials, right
// and wrong, and every second way to send them (P-6, P-11, HOSTILE 38 to 41).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  addPartner,
  codeFor,
  type Fields,
  headersOf,
  invalidClient,
  invalidCode,
  openPartnerClub,
  type PartnerClub,
  redeem,
  refresh,
  tokensIn,
  tooMany,
} from '../support/partner_club.ts';
import { type Answer, rawExchange } from '../support/wire.ts';

/** What a token request gets: at /secure/key, and the same at /secure/refresh. */
async function answerTo(club: PartnerClub, headers: Fields): Promise<Answer> {
  const key = await redeem(club, 'unknown', {}, headers);
  const other = await refresh(club, 'unknown', {}, headers);
  const body = other.body.replace('Invalid refresh token', 'Invalid authorization code');
  assert.deepEqual({ ...other, body }, key, `both endpoints: ${JSON.stringify(headers)}`);
  return key;
}

function basic(text: string | Uint8Array): string {
  return `Basic ${Buffer.from(text as string).toString('base64')}`;
}

test('P-11 P-14: too many wrong secrets are 500 temporarily_unavailable, the right one passes', async (t) => {
  const club = await openPartnerClub(t);
  const wrong = { authorization: basic(`${club.client.id}:wrong`) };
  const answers: Answer[] = [];
  for (let sent = 0; sent < 650; sent += 50) {
    const some = Array.from({ length: 50 }, () => redeem(club, 'x', {}, wrong));
    answers.push(...(await Promise.all(some)));
  }
  for (const answer of answers.slice(0, 600)) assert.deepEqual(answer, invalidClient(club));
  for (const answer of answers.slice(600)) assert.deepEqual(answer, tooMany(60));
  assert.deepEqual(await refresh(club, 'x', {}, wrong), tooMany(60));
  tokensIn(await redeem(club, await codeFor(club)));
});

test('HOSTILE 38: a long authorization header, and two of them, right as they may be, are 401', async (t) => {
  const club = await openPartnerClub(t);
  const long = { authorization: `Basic ${'A'.repeat(65_536)}` };
  assert.deepEqual(await answerTo(club, long), invalidClient(club));
  const lines = Object.entries(headersOf(club)).map(([name, value]) => `${name}: ${value}`);
  const target = `${club.paths.key}?grant_type=authorization_code&code=x`;
  for (const again of [club.client.basic, 'Basic x', 'Bearer x']) {
    const head = [`POST ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines];
    const answer = await rawExchange(
      club.url,
      `${head.join('\r\n')}\r\nauthorization: ${again}\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.ok(answer.endsWith(invalidClient(club).body), answer);
  }
});

const secrets = ['a:b', ':', 'a+b', 'a b', '50%', '%41', '%zz', 'é', '日本', ' ', 'a'.repeat(1000)];

test('P-11 HOSTILE 39: a secret is taken as it is or form-encoded, split at the first colon', async (t) => {
  const club = await openPartnerClub(t);
  for (const [index, secret] of secrets.entries()) {
    const client = await addPartner(club, { id: `Partner${index + 10}`, secret });
    for (const spelling of [secret, encodeURIComponent(secret)]) {
      const right = { authorization: basic(`${client.id}:${spelling}`) };
      assert.deepEqual(await answerTo({ ...club, client }, right), invalidCode, secret);
      const wrong = { authorization: basic(`${client.id}:${spelling}x`) };
      assert.deepEqual(await answerTo(club, wrong), invalidClient(club), secret);
    }
  }
});
