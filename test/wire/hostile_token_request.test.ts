// HOSTILE 27, 41, 43 to 46, 51, 52, 89: token requests that are malformed, misplaced or oversized.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askTokens, type Club, jsonHeaders, openClub, paths, refused } from '../support/club.ts';
import { ask, type Answer, rawExchange } from '../support/wire.ts';

const partnerToken = { grant_type: 'client_credentials' };

const badRequest = (description: string): Answer =>
  refused(400, { error: 'invalid_request', error_description: description });

function send(
  club: Club,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
) {
  return ask(club.url, paths.grant, {
    method: 'POST',
    headers: {
      authorization: club.client.basic,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body,
  });
}

test('HOSTILE 44: a body that is not what it claims cannot be decoded', async (t) => {
  const club = await openClub(t);
  const refusal = badRequest('the parameters could not be decoded');
  for (const body of ['grant_type=%zz', 'grant_type=%', 'code=%ff', '%C3%28=x', 'a=%E0%A4']) {
    assert.deepEqual(await send(club, body), refusal, body);
  }
  const broken = Uint8Array.of(...Buffer.from('grant_type=client_credentials&x='), 0xff, 0xfe);
  assert.deepEqual(await send(club, broken), refusal);
});

test('HOSTILE 89: what Windows and old clients write around a body is no part of it', async (t) => {
  const club = await openClub(t);
  const good = 'grant_type=client_credentials';
  const latin = { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' };
  for (const body of [
    `\ufeff${good}`,
    `${good}\r\n`,
    `${good}\n`,
    `${good}&`,
    `&x=a+b%c3%a9&${good}`,
  ]) {
    assert.equal((await send(club, body)).status, 200, body);
    if (!body.startsWith('\ufeff')) assert.equal((await send(club, body, latin)).status, 200, body);
  }
  const unsupported = refused(400, { error: 'unsupported_grant_type' });
  for (const body of [`${good}%0d%0a`, `${good}\r`, `${good}\n\n`, `${good}\n&x=1`, `${good}+`]) {
    assert.deepEqual(await send(club, body), unsupported, body);
  }
  // Names and media types are not guessed at.
  const missing = badRequest('grant_type is missing');
  for (const body of [`?${good}`, `\ufeff\ufeff${good}`, `%ef%bb%bf${good}`]) {
    assert.deepEqual(await send(club, body), missing, body);
  }
});

test('HOSTILE 45: TRACE gets 405 with Allow, and sends no header back', async (t) => {
  const club = await openClub(t);
  const trace = await rawExchange(
    club.url,
    `TRACE ${paths.grant} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${club.client.basic}\r\n\r\n`,
  );
  assert.match(trace, /^HTTP\/1\.1 405 .*\r\nallow: POST\r\n/is);
  assert.ok(!trace.includes(club.client.basic));
});

test('HOSTILE 46: too many parameters, and names that mean something to JavaScript', async (t) => {
  const club = await openClub(t);
  const many = `grant_type=client_credentials${'&a=1'.repeat(10_000)}`;
  assert.deepEqual(await send(club, many), badRequest('the parameters could not be decoded'));
  const odd =
    '__proto__=x&constructor=x&toString=x&__proto__[grant_type]=password&a.b.c=1&a[b][c]=1&hasOwnProperty=';
  const answer = await send(club, `grant_type=client_credentials&${odd}`, {
    __proto__: 'ignored',
    'x-a': 'x',
  });
  assert.equal(answer.status, 200);
  const header = await rawExchange(
    club.url,
    `POST ${paths.grant} HTTP/1.1\r\nHost: x\r\n__proto__: x\r\nconstructor: y\r\nConnection: close\r\nAuthorization: ${club.client.basic}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n\r\ngrant_type=client_credentials`,
  );
  assert.match(header, /^HTTP\/1\.1 200 /);
  const alone = await send(club, odd);
  assert.deepEqual(alone, badRequest('grant_type is missing'));
});

test('HOSTILE 51: what was sent is never in the answer', async (t) => {
  const club = await openClub(t);
  const hostile = '</script><img src=x onerror=alert(1)>"\u2028\u2029\\ \u0000\ud83d\ude00';
  for (const fields of [
    { grant_type: hostile },
    { ...partnerToken, scope: hostile },
    { ...partnerToken, client_id: hostile },
    { grant_type: 'authorization_code', code: hostile },
    { grant_type: 'authorization_code', code: 'x', redirect_uri: hostile },
    { grant_type: 'authorization_code', code: 'x', code_verifier: hostile },
    { grant_type: 'refresh_token', refresh_token: hostile },
    { [hostile]: hostile },
  ]) {
    const { status, headers, body } = await askTokens(club, fields);
    assert.deepEqual([status, headers], [400, jsonHeaders]);
    const parsed = JSON.parse(body) as Readonly<Record<string, string>>;
    // Letters, underscore and a few signs; RFC 6749 5.2 allows %x20-21 / %x23-5B / %x5D-7E.
    for (const value of Object.values(parsed)) assert.match(value, /^[A-Za-z0-9_ /-]+$/);
    assert.doesNotMatch(body, /onerror|at .*\.ts/);
  }
  assert.deepEqual(club.events, []);
});

test('HOSTILE 51: an unknown parameter’s name is told without its odd characters', async (t) => {
  const over = 'token_endpoints: { grant: { unknown: refuse } }';
  const club = await openClub(t, { over });
  const answer = await askTokens(club, { ...partnerToken, '</script>"\u2028x\r\n': '1' });
  assert.deepEqual(answer, badRequest('scriptx is not a known parameter'));
  const long = await askTokens(club, { ...partnerToken, ['x'.repeat(5000)]: '1' });
  assert.deepEqual(long, badRequest(`${'x'.repeat(60)} is not a known parameter`));
});
