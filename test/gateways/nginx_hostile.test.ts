// Owns the attacks on the nginx of docs/gateways.md: forged headers, paths that can be read in two
// ways, requests inside requests, and what is left of one request for the next on its connection.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { giveApiKey, shown } from '../support/gateway.ts';
import { addPartner } from '../support/partner_club.ts';
import { testNeeding } from '../support/tools.ts';
import { startWire, type Wire } from './api.ts';
import { believed, forgeries, odd } from './attacks.ts';
import { startNginx } from './nginx.ts';
import { executiveCallers, startBehind, type Site } from './site.ts';
import { askByHttp2, askThrough, type Door, exchangeThrough, host } from './through.ts';

const test = testNeeding('nginx', 'openssl');

interface Front extends Site {
  readonly door: Door;
  /** What nginx said to Jetway. */
  readonly wire: Wire;
  /** Of a member, as an Authorization header. */
  readonly authorization: string;
  readonly token: string;
  readonly apiKey: string;
}

async function openFront(t: TestContext): Promise<Front> {
  const site = await startBehind(t);
  const wire = await startWire(t, site.jetway.url);
  const door = await startNginx(t, { jetway: wire.address, api: site.api.address });
  const { member10, apiKey } = await executiveCallers(site);
  const { authorization = '' } = shown({ ...member10 });
  const token = authorization.slice('Bearer '.length);
  return { ...site, door, wire, authorization, token, apiKey: apiKey?.apiKey ?? '' };
}

test('no X-Auth header comes from outside, however it is spelled', async (t) => {
  const { door, api, apiKey } = await openFront(t);
  const genuine = [
    ['x-auth-environment', 'staging'],
    ['x-auth-programme', 'executive-club'],
    ['x-auth-kind', 'none'],
    ['x-auth-client-id', 'partnerapi-12345'],
  ];
  const target = '/executive-club/members';
  for (const forged of forgeries) {
    const sent = { method: 'POST', headers: { 'x-api-key': apiKey, ...forged } };
    assert.equal((await askThrough(door, target, sent)).status, 200);
    const entries = Object.entries(forged).map(([name, value]) => [name.toLowerCase(), value]);
    const pseudo = { ':method': 'POST', ':authority': host, 'x-api-key': apiKey };
    const lower = Object.fromEntries(entries) as typeof forged;
    assert.equal(await askByHttp2(door, target, { ...pseudo, ...lower }), 200);
  }
  assert.equal(api.arrived.length, forgeries.length * 2);
  for (const one of api.arrived) assert.deepEqual(believed(one), genuine);
});

test('a location with headers of its own needs the file once more, as the page warns', async (t) => {
  const site = await startBehind(t);
  const { apiKey } = (await executiveCallers(site))['apiKey'] ?? {};
  const open = 'proxy_pass http://loyalty_api;';
  const headers = {
    'x-api-key': apiKey ?? '',
    'x-auth-kind': 'member',
    'x-auth-subject': 'forged',
  };
  const seen: unknown[] = [];
  for (const more of [
    'proxy_set_header A b; include jetway-headers.conf;',
    'proxy_set_header A b;',
  ]) {
    const changes = [[open, `${more} ${open}`]] as const;
    const door = await startNginx(t, { jetway: site.address, api: site.api.address, changes });
    await askThrough(door, '/executive-club/members', { method: 'POST', headers });
    const all = Object.fromEntries(site.api.arrived.pop()?.headers ?? []);
    seen.push([all['a'], all['x-auth-kind'], all['x-auth-subject']]);
  }
  assert.deepEqual(seen, [
    ['b', 'none', undefined],
    ['b', 'member', 'forged'],
  ]);
});

test('a header that Connection names is Jetway’s all the same', async (t) => {
  const { door, api, authorization } = await openFront(t);
  for (const connection of ['X-Auth-Kind', 'close, X-Auth-Subject, Authorization', 'upgrade']) {
    const headers = { authorization, connection, upgrade: 'websocket', 'x-auth-kind': 'client' };
    const { status } = await askThrough(door, '/executive-club/membership', { headers });
    assert.equal(status, 200, connection);
  }
  for (const { headers } of api.arrived) {
    const all = Object.fromEntries(headers);
    assert.deepEqual(
      [all['x-auth-kind'], all['x-auth-subject'], all['upgrade'], all['connection']],
      ['member', 'subject-of-ann', undefined, undefined],
    );
  }
  assert.equal(api.arrived.length, 3);
});

test('of two keys or tokens none is chosen', async (t) => {
  const { door, api, second, authorization, apiKey } = await openFront(t);
  const another = await giveApiKey(
    second,
    second.programme,
    (await addPartner(second, { id: 'Partner2' })).id,
  );
  const target = '/executive-club/membership';
  const statuses: number[] = [];
  for (const headers of [
    { authorization: [authorization, authorization] },
    { authorization: ['Bearer unknown', authorization] },
    { authorization, 'x-api-key': [apiKey, apiKey] },
    { authorization, 'x-api-key': [apiKey, another] },
    { authorization, 'x-api-key': another },
  ]) {
    statuses.push((await askThrough(door, target, { headers })).status);
  }
  assert.deepEqual(statuses, [400, 400, 401, 401, 401]);
  assert.deepEqual(api.arrived, []);
});

test('HOSTILE 49: what the table does not name is not found, and nobody is asked', async (t) => {
  const { door, api, wire, authorization, apiKey } = await openFront(t);
  const headers = { authorization, 'x-api-key': apiKey };
  const found: (readonly [string, number])[] = [];
  for (const target of odd) {
    for (const method of ['GET', 'POST']) {
      const { status } = await askThrough(door, target, { method, headers });
      found.push([target, status]);
    }
  }
  // nginx itself refuses an address that ends in the middle.
  const refused = found.filter(([, status]) => status !== 404);
  assert.deepEqual(refused, [
    ['/executive-club/membership%00', 400],
    ['/executive-club/membership%00', 400],
  ]);
  for (const method of ['DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND']) {
    const { status } = await askThrough(door, '/executive-club/membership', { method, headers });
    assert.equal(status, 404, method);
  }
  assert.deepEqual([api.arrived, wire.sent()], [[], '']);
});

test('HOSTILE 50: an absolute target and a strange Host change nothing', async (t) => {
  const { door, api, wire, authorization } = await openFront(t);
  const target = 'http://evil.example/executive-club/membership?a=1';
  const lines = [`Authorization: ${authorization}`, 'X-Forwarded-Host: evil.example'];
  for (const [asked, name] of [
    [target, host],
    ['/executive-club/membership?a=1', 'evil.example:1'],
  ]) {
    const head = [`GET ${asked} HTTP/1.1`, `Host: ${name}`, ...lines, 'Connection: close', '', ''];
    assert.match(await exchangeThrough(door, head.join('\r\n')), /^HTTP\/1\.1 200 /);
  }
  const [first, second] = api.arrived;
  assert.equal(first?.target, '/executive-club/membership?a=1');
  assert.deepEqual(
    second?.headers.find(([name]) => name === 'host'),
    ['host', 'evil.example'],
  );
  assert.deepEqual(wire.sent().match(/^GET .*\r\nHost: .*/gm), [
    'GET /executive-club/verify/member HTTP/1.1\r\nHost: jetway-gateway',
    'GET /executive-club/verify/member HTTP/1.1\r\nHost: jetway-gateway',
  ]);
});

/** A request as bytes. */
function raw(line: string, headers: readonly string[] = [], body = ''): string {
  return [line, `Host: ${host}`, ...headers, '', body].join('\r\n');
}

test('HOSTILE 48: no request passes inside another', async (t) => {
  const { door, api, authorization } = await openFront(t);
  const good = `Authorization: ${authorization}`;
  const hidden = raw('POST /executive-club/debits HTTP/1.1', ['X-Auth-Kind: member']);
  const put = 'PUT /executive-club/membership HTTP/1.1';
  const length = `Content-Length: ${hidden.length + 5}`;
  const chunked = 'Transfer-Encoding: chunked';
  for (const framing of [
    [length, chunked],
    [chunked, chunked],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding: xchunked'],
    ['Transfer-Encoding : chunked', length],
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: +5'],
    ['Content-Length: 5, 5'],
    ['X: y\r\n\tTransfer-Encoding: chunked', length],
  ]) {
    const text = raw(put, [good, 'Connection: close', ...framing], `0\r\n\r\n${hidden}`);
    const answers = await exchangeThrough(door, text);
    const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
    assert.ok(statuses.length <= 1, `${framing.join()}: ${statuses.join()}`);
    for (const one of api.arrived.splice(0)) {
      // Where a framing is taken at all, one whole request arrives and no second.
      assert.deepEqual([one.method, one.target], ['PUT', '/executive-club/membership']);
    }
  }
});

test('each request of a connection is judged by itself', async (t) => {
  const { door, api, authorization } = await openFront(t);
  const good = `Authorization: ${authorization}`;
  const get = 'GET /executive-club/membership HTTP/1.1';
  const text = [
    raw(get, [good]),
    raw(get, ['X-Auth-Kind: member']),
    raw(get, [good]),
    raw('GET /executive-club/prices HTTP/1.1', [good]),
    raw(get, ['Connection: close']),
  ].join('');
  const answers = await exchangeThrough(door, text);
  const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ['200', '401', '200', '403', '401']);
  assert.equal(api.arrived.length, 2);
});

test('headers that are too many or too long reach nobody', async (t) => {
  const { door, api, wire, authorization } = await openFront(t);
  const many = Object.fromEntries(
    Array.from({ length: 2000 }, (_, n) => [`x-${n}`, 'y'.repeat(40)]),
  );
  for (const headers of [
    { authorization: `Bearer ${'x'.repeat(40_000)}` },
    { authorization, ...many },
  ]) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const text = raw('GET /executive-club/membership HTTP/1.1', [...lines, 'Connection: close']);
    assert.doesNotMatch(await exchangeThrough(door, text), /^HTTP\/1\.1 [23]/);
  }
  assert.deepEqual([api.arrived, wire.sent()], [[], '']);
  const headers = { authorization, cookie: 'c'.repeat(7000), other: 'o'.repeat(7000) };
  assert.equal((await askThrough(door, '/executive-club/membership', { headers })).status, 200);
});
