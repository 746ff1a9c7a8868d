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

test('P-11 HOSTILE 38: authorization that cannot be read is 401 invalid_client', async (t) => {
  const club = await openPartnerClub(t);
  const { basic: right, id, secret } = club.client;
  const token = right.slice('Basic '.length);
  const malformed = [
    'Basic',
    'Bearer',
    `Bearer ${token}`,
    `Digest ${token}`,
    `${token}=`,
    `${token.slice(0, 4)}!${token.slice(4)}`,
    `${token} ${token}`,
    `${token},${token}`,
    Buffer.from(`${id}${secret}`).toString('base64'),
    `Basic ${token} x`,
    `Basic ${token}, Basic ${token}`,
    `Basic ${token.slice(0, 4)}!${token.slice(4)}`,
    `Basic ${token}=`,
    `Basic ${token.slice(0, 5)}`,
    'Basic YT!pi',
    'Basic ====',
    basic(`${id}${secret}`),
    basic(`:${secret}`),
    basic(':'),
    basic(Buffer.from([0x50, 0x3a, 0xff, 0xfe])),
    basic(Buffer.from([0x50, 0x3a, 0xc3])),
    basic(`${id}:${secret}\n`),
    basic(`${id}\0:${secret}`),
    `Basic ${'A'.repeat(65_536)}`,
  ];
  for (const authorization of malformed) {
    const answer = await answerTo(club, { authorization });
    assert.deepEqual(answer, invalidClient(club), authorization.slice(0, 60));
  }
});

test('P-6 HOSTILE 38: the scheme is taken in any case, and may be left out', async (t) => {
  const club = await openPartnerClub(t);
  const token = club.client.basic.slice('Basic '.length);
  for (const authorization of [`basic ${token}`, `BASIC  ${token}`, token]) {
    assert.deepEqual(await answerTo(club, { authorization }), invalidCode);
  }
  const wrong = Buffer.from(`${club.client.id}:wrong`).toString('base64');
  assert.deepEqual(await answerTo(club, { authorization: wrong }), invalidClient(club));
});

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

test('HOSTILE 38: two authorization headers are 401, right as they may be', async (t) => {
  const club = await openPartnerClub(t);
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
