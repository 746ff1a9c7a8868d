// What a request brings along to a gateway's question and must not sway its answer: headers that name
// another question, tokens where none belong, credentials twice or in odd spellings (C-4, HOSTILE 38).

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import { giveApiKey, verify } from '../support/gateway.ts';
import { openSites, type Site } from '../support/spoken_club.ts';
import { type Answer, type Ask, ask, rawExchange } from '../support/wire.ts';

interface Scene {
  readonly site: Site;
  readonly token: string;
  readonly apiKey: string;
  /** Asks with the token unless told otherwise; `target` follows `/verify/`. */
  readonly asked: (target: string, headers?: Ask['headers'], more?: Ask) => Promise<Answer>;
}

async function open(t: TestContext, name: 'opaque' | 'partner' = 'opaque'): Promise<Scene> {
  const [site] = await openSites(t, [name]);
  assert.ok(site);
  const { jetway, base, client } = site;
  const { access: token } = await site.login();
  const apiKey = await giveApiKey(jetway, base, client.id);
  const own = { authorization: `Bearer ${token}` };
  const asked: Scene['asked'] = (target, headers = own, more = {}) =>
    ask(jetway.url, `/${base}/verify/${target}`, { ...more, headers });
  return { site, token, apiKey, asked };
}

const errorOf = ({ status, body }: Answer): string => {
  const { error = '' } = body === '' ? {} : (JSON.parse(body) as { error?: string });
  return `${status} ${error}`.trimEnd();
};

test('HOSTILE 43: the caller’s own parameters may come as often as they will', async (t) => {
  const { asked } = await open(t);
  const plain = await asked('member');
  for (const query of [
    'fbclid=a&fbclid=b',
    'foo[]=1&foo[]=2',
    'resource=a&resource=b&code=x&code=y',
  ]) {
    assert.deepEqual(await asked(`member/orders?${query}`), plain, query);
  }
});

test('C-4: the mode is never taken from a header, nor is anything else but token and key', async (t) => {
  const { token, asked } = await open(t);
  const own = { authorization: `Bearer ${token}` };
  const plain = await asked('client');
  assert.equal(errorOf(plain), '403 insufficient_scope');
  for (const name of [
    'X-Original-URI',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Uri',
    'X-Envoy-Original-Path',
    'X-Auth-Request-Redirect',
  ]) {
    for (const value of ['/executive-club/verify/member', '/verify/none', 'member']) {
      assert.deepEqual(await asked('client', { ...own, [name]: value }), plain, name);
    }
  }
  for (const headers of [
    { 'X-Original-Method': 'POST', 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example', Host: 'evil.example' },
    { 'X-Auth-Kind': 'client', 'X-Auth-Subject': 'client:x', 'X-Auth-Client-Id': 'x' },
    { 'X-Auth-Mode': 'member', 'X-Jetway-Mode': 'member', 'X-Jetway-Level': 'AUTHN-LEVEL-10' },
  ]) {
    assert.deepEqual(await asked('client', { ...own, ...headers }), plain);
  }
  const passes = await asked('member');
  const forged = { ...own, 'X-Auth-Level': 'AUTHN-LEVEL-15', 'X-Auth-Subject': 'x' };
  assert.deepEqual(await asked('member', forged), passes);
});

test('RFC 6750 2.3: a token in the query, a body or a cookie is none', async (t) => {
  const { token, asked } = await open(t);
  const missing = '401 invalid_request';
  assert.equal(errorOf(await asked(`member?access_token=${token}`, {})), '400 invalid_request');
  assert.equal(errorOf(await asked(`member/api?access_token=${token}`, {})), missing);
  assert.equal(errorOf(await asked(`member,access_token=${token}/api`, {})), '400 invalid_request');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = `access_token=${token}`;
  assert.equal(errorOf(await asked('member', form, { method: 'POST', body })), missing);
  for (const headers of [
    { cookie: `access_token=${token}` },
    { 'proxy-authorization': `Bearer ${token}` },
    { 'x-authorization': `Bearer ${token}` },
    { 'x-original-authorization': `Bearer ${token}` },
    { 'x-forwarded-authorization': `Bearer ${token}` },
    { 'x-forwarded-access-token': token },
    { 'x-access-token': token },
    { authorization: `Token ${token}` },
    { authorization: token },
  ]) {
    assert.equal(errorOf(await asked('member', headers)), missing, JSON.stringify(headers));
  }
});

test('a key in the query is none, and an empty one is missing', async (t) => {
  const { apiKey, asked } = await open(t);
  assert.equal(errorOf(await asked(`none?x-api-key=${apiKey}`, {})), '400 invalid_request');
  assert.equal(errorOf(await asked(`none/api?x-api-key=${apiKey}`, {})), '401 invalid_client');
  assert.equal(errorOf(await asked('none', { 'x-api-key': '' })), '401 invalid_client');
  assert.equal(errorOf(await asked('none', { 'X-API-KEY': apiKey })), '200');
  assert.equal(
    errorOf(await asked('none', { authorization: `Bearer ${apiKey}` })),
    '401 invalid_client',
  );
  for (const pair of [
    [apiKey, apiKey],
    [apiKey, ''],
    ['', apiKey],
    [apiKey, 'x'],
  ]) {
    assert.equal(errorOf(await asked('none', { 'x-api-key': pair })), '401 invalid_client');
  }
  for (const near of [apiKey.toUpperCase(), apiKey.slice(1), `${apiKey}\u00a0`, `"${apiKey}"`]) {
    const headers = { 'x-api-key': Buffer.from(near).toString('latin1') };
    assert.equal(errorOf(await asked('none', headers)), '401 invalid_client', near);
  }
});

test('HOSTILE 38: odd spellings of Authorization, on the wire', async (t) => {
  const { site, token } = await open(t);
  const exchange = async (lines: readonly string[]): Promise<string> => {
    const head = `GET /${site.base}/verify/member HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const answer = await rawExchange(site.jetway.url, `${head}${lines.join('\r\n')}\r\n\r\n`);
    return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? answer;
  };
  for (const [line, status] of [
    [`AUTHORIZATION: Bearer ${token}`, '200'],
    [`aUTHORIZATION:bEaReR   ${token}  `, '200'],
    [`Authorization: \tBearer ${token}\t`, '200'],
    [`Authorization: Bearer\t${token}`, '401'],
    [`Authorization: Bearer ${token} x`, '401'],
    [`Authorization: Bearer ${token},`, '401'],
    [`Authorization: Bearer ${token}, Bearer ${token}`, '401'],
    [`Authorization: Basic x, Bearer ${token}`, '401'],
    [`Authorization: Bearer "${token}"`, '401'],
    [`Authorization: Bearer ${token}\r\nAuthorization: Bearer ${token}`, '401'],
    [`Authorization: Basic eDp5\r\nAuthorization: Bearer ${token}`, '401'],
    [`Authorization:\r\nAuthorization: Bearer ${token}`, '401'],
    [`Authorization: Bearer\r\n ${token}`, '400'],
    [`Authorization : Bearer ${token}`, '400'],
    [`Authorization: Bearer ${token}\0`, '400'],
    [`Authorization_: Bearer ${token}`, '401'],
  ] as const) {
    assert.equal(await exchange([line]), status, JSON.stringify(line));
  }
});

test('HOSTILE 46: huge headers, targets and bodies are refused, not choked on', async (t) => {
  const { site, token, asked } = await open(t, 'partner');
  const long = 'x'.repeat(60_000);
  assert.equal(
    errorOf(await asked('member', { authorization: `Bearer ${long}` })),
    '401 invalid_token',
  );
  const dots = `${long.slice(2)}.${'y'.repeat(10)}.z`;
  assert.equal(
    errorOf(await asked('member', { authorization: `Bearer ${dots}` })),
    '401 invalid_token',
  );
  assert.equal(errorOf(await asked('none', { 'x-api-key': long })), '401 invalid_client');
  assert.equal((await asked('member', { authorization: `Bearer ${long}${long}` })).status, 431);
  const own = { authorization: `Bearer ${token}` };
  assert.equal(
    errorOf(await asked(`member/${long.slice(30_000)}?${long.slice(30_000)}`, own)),
    '200',
  );
  const pairs = Array.from({ length: 5000 }, (_, n) => `a${n}=1`).join('&');
  assert.equal(errorOf(await asked(`member/api?${pairs}`, own)), '200');
  assert.equal(
    errorOf(await asked(`member,${pairs.replaceAll('&', ',')}`, own)),
    '400 invalid_request',
  );
  const chunked = { ...own, 'transfer-encoding': 'chunked' };
  const upload = { method: 'PUT', body: 'z'.repeat(1000) };
  assert.equal(errorOf(await asked('member/file', chunked, upload)), '200');
  assert.equal((await verify(site.jetway, site.base, 'member', { token })).status, 200);
});

test('a preflight is a request like any other: no token, no way, and no word to browsers', async (t) => {
  const { asked } = await open(t);
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  };
  const answer = await asked('member', headers, { method: 'OPTIONS' });
  assert.equal(errorOf(answer), '401 invalid_request');
  const allowing = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'));
  assert.deepEqual(allowing, []);
});

/** What follows `/verify/`, and what a good token of level 10 gets there. */
const floors: readonly (readonly [target: string, outcome: string])[] = [
  ['member', '200'],
  ['member?', '200'],
  ['member,', '200'],
  ['member,,/api', '200'],
  ['member?&&', '200'],
  ['member?level=AUTHN-LEVEL-10', '200'],
  ['member?level=AUTHN%2DLEVEL%2D10', '200'],
  ['member?%6Cevel=AUTHN-LEVEL-12', '403 insufficient_scope'],
  ['member,%6Cevel=AUTHN-LEVEL-12/api', '403 insufficient_scope'],
  ['member?level=AUTHN-LEVEL-10&scope=AUTHN-LEVEL-12', '403 insufficient_scope'],
  ['member?level=AUTHN-LEVEL-12,level=AUTHN-LEVEL-10', '400 invalid_request'],
  ['member?level=', '400 invalid_request'],
  ['member?level', '400 invalid_request'],
  ['member?scope=', '400 invalid_request'],
  ['member,level', '400 invalid_request'],
  ['member,level=,scope=', '400 invalid_request'],
  ['member?level=authn-level-10', '400 invalid_request'],
  ['member?level=AUTHN-LEVEL-10%20', '400 invalid_request'],
  ['member?level=+AUTHN-LEVEL-10', '400 invalid_request'],
  ['member?level=10', '400 invalid_request'],
  ['member?level=AUTHN-LEVEL-99', '400 invalid_request'],
  ['member?LEVEL=AUTHN-LEVEL-10', '400 invalid_request'],
  ['member?Scope=AUTHN-LEVEL-10', '400 invalid_request'],
  ['member?scope=__proto__', '400 invalid_request'],
  ['member?__proto__=x', '400 invalid_request'],
  ['member?level=AUTHN-LEVEL-10&level=AUTHN-LEVEL-10', '400 invalid_request'],
  ['member?scope=AUTHN-LEVEL-10&%73cope=AUTHN-LEVEL-10', '400 invalid_request'],
  ['member?level=AUTHN-LEVEL-10;level=AUTHN-LEVEL-12', '400 invalid_request'],
  ['member?mode=client', '400 invalid_request'],
  ['none?level=AUTHN-LEVEL-10', '400 invalid_request'],
  ['none,scope=AUTHN-LEVEL-10/api', '400 invalid_request'],
  ['member%2Clevel=AUTHN-LEVEL-10', '404 not_found'],
  ['member%3Flevel=AUTHN-LEVEL-10', '404 not_found'],
  ['MEMBER', '404 not_found'],
  ['Member', '404 not_found'],
  ['', '404 not_found'],
  ['members', '404 not_found'],
  ['member%2f', '404 not_found'],
  ['m%65mber', '404 not_found'],
  ['member;x', '404 not_found'],
  ['/member', '404 not_found'],
  ['any', '404 not_found'],
  ['member&level=AUTHN-LEVEL-10', '404 not_found'],
  ['__proto__', '404 not_found'],
  ['constructor/api', '404 not_found'],
];

test('G-12: floors that are repeated, unknown, empty, encoded or in another case', async (t) => {
  const { asked } = await open(t);
  for (const [target, outcome] of floors) {
    assert.equal(errorOf(await asked(target)), outcome, target);
  }
});

test('the absolute form of a target asks the same question', async (t) => {
  const { site, token } = await open(t);
  const exchange = async (target: string): Promise<string> => {
    const head = `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n`;
    const bytes = `${head}Authorization: Bearer ${token}\r\n\r\n`;
    return /^HTTP\/1\.1 (\d+)/.exec(await rawExchange(site.jetway.url, bytes))?.[1] ?? '';
  };
  assert.equal(await exchange(`http://evil.example/${site.base}/verify/member/x?y`), '200');
  assert.equal(await exchange(`http://evil.example/${site.base}/verify/client`), '403');
  assert.equal(await exchange(`/x/../${site.base}/verify/member`), '404');
  assert.equal(await exchange(`//${site.base}/verify/member`), '404');
  assert.equal(await exchange(`/${site.base}//verify/member`), '404');
  assert.equal(await exchange(`/${site.base.toUpperCase()}/verify/member`), '404');
  assert.equal(await exchange(`/${site.base}/verify%2Fmember`), '404');
});

/** Text of a directory's or an operator's, and how a gateway is told of it. */
const spellings: readonly (readonly [text: string, header: string])[] = [
  ['plain (1) ~!', 'plain (1) ~!'],
  ['100%', '100%25'],
  ['%0D%0A', '%250D%250A'],
  ['a\r\nX-Auth-Level: x', 'a%0D%0AX-Auth-Level: x'],
  ['a\0b\tc\u007f', 'a%00b%09c%7F'],
  [' ends ', '%20ends%20'],
  ['two  spaces', 'two%20 spaces'],
  ['é', '%C3%A9'],
  ['日本 ☃ 😀', '%E6%97%A5%E6%9C%AC %E2%98%83 %F0%9F%98%80'],
  ['\ud800', '%EF%BF%BD'],
  ['\u2028\u0085', '%E2%80%A8%C2%85'],
];

test('ASVS 1.2.2: whatever is known of client and member arrives in one header, as it was', async (t) => {
  const { site, asked } = await open(t);
  const { store } = site.jetway;
  const names = (await asked('member')).headers;
  for (const [text, header] of spellings) {
    await store.change('client', site.programme, site.client.id as ClientId, (before) => ({
      ...before,
      partnerId: text,
      businessContext: text,
    }));
    const { status, headers } = await asked('member');
    assert.equal(status, 200, header);
    assert.deepEqual([headers['x-auth-partner-id'], headers['x-auth-context']], [header, header]);
    assert.deepEqual(Object.keys(headers), Object.keys(names));
    assert.equal(decodeURIComponent(header), text.toWellFormed());
  }
});
