// HOSTILE 27, 41, 43 to 46, 51, 52: token requests that are malformed, misplaced or oversized.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askTokens,
  type Club,
  codeFor,
  invalidCode,
  jsonHeaders,
  openClub,
  paths,
  redeem,
  refused,
  tokensIn,
} from '../support/club.ts';
import { ask, type Answer, post, rawExchange } from '../support/wire.ts';

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

test('HOSTILE 27: a redirect_uri that differs spends nothing', async (t) => {
  const club = await openClub(t);
  const { redirectUri } = club.client;
  const code = await codeFor(club, { redirect_uri: redirectUri });
  const others = ['https://evil.example', `${redirectUri}/`, redirectUri.toUpperCase(), 'x'];
  for (const uri of others) {
    assert.deepEqual(await redeem(club, code, { redirect_uri: uri }), invalidCode);
  }
  tokensIn(await redeem(club, code, { redirect_uri: redirectUri }));
});

test('HOSTILE 41: a secret beside Basic, in the body or in the query, is an invalid_request', async (t) => {
  const club = await openClub(t);
  const { secret, basic, id } = club.client;
  const both = badRequest('more than one authentication method was used');
  assert.deepEqual(await askTokens(club, { ...partnerToken, client_secret: secret }), both);
  assert.deepEqual(await askTokens(club, { ...partnerToken, client_secret: 'x' }), both);
  const query = `${paths.grant}?client_id=${id}&client_secret=${secret}`;
  const misplaced = badRequest('client_id must be sent in the request body');
  assert.deepEqual(await post(club.url, query, partnerToken, { authorization: basic }), misplaced);
  assert.deepEqual(await post(club.url, query, partnerToken), misplaced);
  const alone = `${paths.grant}?client_secret=${secret}`;
  const secretMisplaced = badRequest('client_secret must be sent in the request body');
  assert.deepEqual(await post(club.url, alone, partnerToken), secretMisplaced);
});

test('HOSTILE 41: client_id in the body must be the authenticated client', async (t) => {
  const club = await openClub(t);
  const other = await club.addClient({ id: 'partnerapi-00002' });
  const mismatch = badRequest('client_id is not the authenticated client');
  for (const id of [other.id, 'partnerapi-99999', 'x', club.client.id.toUpperCase()]) {
    assert.deepEqual(await askTokens(club, { ...partnerToken, client_id: id }), mismatch);
  }
  const same = { ...partnerToken, client_id: club.client.id };
  assert.equal((await askTokens(club, same)).status, 200);
});

test('HOSTILE 43: a parameter twice is refused, even when both are the same', async (t) => {
  const club = await openClub(t);
  for (const name of [
    'grant_type',
    'code',
    'scope',
    'refresh_token',
    'client_id',
    'redirect_uri',
  ]) {
    const body = new URLSearchParams([
      ['grant_type', 'client_credentials'],
      [name, 'x'],
      [name, 'x'],
    ]);
    const answer = await send(club, body.toString());
    const repeated = name === 'grant_type' ? 'grant_type' : name;
    assert.deepEqual(answer, badRequest(`${repeated} is repeated`), name);
  }
  // Nor does an empty first one hide the second.
  const hidden = await send(club, 'grant_type=&grant_type=client_credentials');
  assert.deepEqual(hidden, badRequest('grant_type is repeated'));
  const encoded = await send(club, 'grant_type=client_credentials&grant%5Ftype=x');
  assert.deepEqual(encoded, badRequest('grant_type is repeated'));
});

test('HOSTILE 43: parameters in the query are not read, nor forgiven', async (t) => {
  const club = await openClub(t);
  const headers = { authorization: club.client.basic };
  const inQuery = await post(club.url, `${paths.grant}?grant_type=client_credentials`, {}, headers);
  assert.deepEqual(inQuery, badRequest('grant_type must be sent in the request body'));
  const both = await post(club.url, `${paths.grant}?code=x`, partnerToken, headers);
  assert.deepEqual(both, badRequest('code must be sent in the request body'));
  const other = await post(club.url, `${paths.grant}?trace=1`, partnerToken, headers);
  assert.equal(other.status, 200);
});

test('HOSTILE 44: one media type, in a charset that holds ASCII', async (t) => {
  const club = await openClub(t);
  const form = 'grant_type=client_credentials';
  const refusal = badRequest('Content-Type must be application/x-www-form-urlencoded');
  const multipart =
    '--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--x--\r\n';
  const refusedTypes: readonly (readonly [string, string | Uint8Array])[] = [
    ['application/json', '{"grant_type":"client_credentials"}'],
    ['multipart/form-data; boundary=x', multipart],
    ['application/x-www-form-urlencoded; charset=utf-16', Buffer.from(form, 'utf16le')],
    ['application/x-www-form-urlencoded; charset=utf-16', form],
    ['application/x-www-form-urlencoded; charset=utf-32', form],
    ['application/x-www-form-urlencoded; charset=utf-8; charset=iso-8859-1', form],
    ['application/x-www-form-urlencoded; charset=x', form],
    ['text/plain; charset=iso-8859-1', form],
    ['application/x-www-form-urlencodedx', form],
    ['xapplication/x-www-form-urlencoded', form],
    ['application/x-www-form-urlencoded, application/json', form],
    ['*/*', form],
    ['', form],
  ];
  for (const [type, body] of refusedTypes) {
    assert.deepEqual(await send(club, body, { 'content-type': type }), refusal, type);
  }
  for (const type of [
    'APPLICATION/X-WWW-FORM-URLENCODED',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'application/x-www-form-urlencoded; charset=ISO-8859-1',
  ]) {
    assert.equal((await send(club, form, { 'content-type': type })).status, 200, type);
  }
});

test('HOSTILE 44: a body that is not what it claims cannot be decoded', async (t) => {
  const club = await openClub(t);
  const refusal = badRequest('the parameters could not be decoded');
  for (const body of ['grant_type=%zz', 'grant_type=%', 'code=%ff', '%C3%28=x', 'a=%E0%A4']) {
    assert.deepEqual(await send(club, body), refusal, body);
  }
  const broken = Uint8Array.of(...Buffer.from('grant_type=client_credentials&x='), 0xff, 0xfe);
  assert.deepEqual(await send(club, broken), refusal);
});

test('HOSTILE 45: other methods get 405 with Allow, and nothing happens', async (t) => {
  const club = await openClub(t);
  const code = await codeFor(club);
  const body = new URLSearchParams({ grant_type: 'authorization_code', code }).toString();
  const headers = {
    authorization: club.client.basic,
    'content-type': 'application/x-www-form-urlencoded',
    'x-http-method-override': 'POST',
  };
  const json = refused(
    405,
    { error: 'invalid_request', error_description: 'method not allowed' },
    { allow: 'POST' },
  );
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']) {
    const target = method === 'GET' ? `${paths.grant}?${body}` : paths.grant;
    const length = { 'content-length': String(body.length) };
    const withBody = { method, headers: { ...headers, ...length }, body };
    const sent = method === 'GET' ? { method, headers } : withBody;
    assert.deepEqual(await ask(club.url, target, sent), json, method);
  }
  const head = await ask(club.url, `${paths.grant}?${body}`, { method: 'HEAD', headers });
  assert.deepEqual(head, { ...json, body: '' });
  const trace = await rawExchange(
    club.url,
    `TRACE ${paths.grant} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${club.client.basic}\r\n\r\n`,
  );
  assert.match(trace, /^HTTP\/1\.1 405 .*\r\nallow: POST\r\n/is);
  assert.ok(!trace.includes(club.client.basic));
  tokensIn(await redeem(club, code));
});

test('HOSTILE 45: HEAD begins no login', async (t) => {
  const club = await openClub(t);
  const target = `${paths.login}?client_id=${club.client.id}&response_type=code`;
  for (const method of ['HEAD', 'POST', 'PUT']) {
    const { status, headers } = await ask(club.url, target, { method });
    assert.deepEqual([status, headers], [405, { ...jsonHeaders, allow: 'GET' }], method);
  }
  const page = await ask(club.url, paths.page, { method: 'HEAD' });
  assert.deepEqual([page.status, page.headers['allow']], [405, 'GET, POST']);
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

test('HOSTILE 52: no token or error answer may be kept', async (t) => {
  const club = await openClub(t);
  const headers = { authorization: club.client.basic };
  const answers = [
    await askTokens(club, partnerToken),
    await redeem(club, await codeFor(club)),
    await redeem(club, 'x'),
    await askTokens(club, {}, {}),
    await askTokens(club, partnerToken, { authorization: 'Basic eDp5' }),
    await ask(club.url, paths.grant, { headers }),
    await ask(club.url, `${paths.grant}x`, { headers }),
    await send(club, 'x'.repeat(70_000)),
  ];
  for (const answer of answers) {
    assert.equal(answer.headers['cache-control'], 'no-store', String(answer.status));
    assert.equal(answer.headers['pragma'], 'no-cache');
  }
});
