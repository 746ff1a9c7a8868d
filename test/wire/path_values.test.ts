// Owns values in paths and properties of clients on the wire: the record names a pattern, never what a
// stranger sent; Jetway's own paths go first; a gateway is told the right values.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertionType } from '../../src/programme/requests/presented_credentials.ts';
import { registered, signJwt, testKey } from '../support/assertions.ts';
import { verify } from '../support/gateway.ts';
import { startJetway } from '../support/jetway.ts';
import { ask, post } from '../support/wire.ts';

const club = `variant: grant
name: Club
programme_identifier: Club
base_path: /club
token_endpoints:
  grant:
    path: /{tenant}/token
    inputs:
      tenant: { in: path, must_equal: client.tenant }
      region: { in: header, name: X-Region, must_equal: client.region }
      seat: { in: header, name: X-Seat, must_equal: client.seat }
`;

const properties = { tenant: ['north', 'verify', 'login'], region: ['eu', 'us'], seat: '7' };
const grant = { grant_type: 'client_credentials' };

test('HOSTILE 46: records name a path by its pattern, whatever stands in it', async (t) => {
  const jetway = await startJetway(t, { programmes: { club } });
  const { basic: authorization } = await jetway.addClient({ more: { properties } });
  for (const tenant of ['north', 'south', 'x'.repeat(200)]) {
    await post(jetway.url, `/club/${tenant}/token`, grant, { authorization });
  }
  await ask(jetway.url, '/club/south/token');
  await post(jetway.url, '/club/%7Btenant%7D/token', grant, { authorization });
  assert.deepEqual(
    jetway.records.map(({ endpoint, failure }) => [endpoint.path, failure?.reason]),
    [
      ['/club/{tenant}/token', undefined],
      ['/club/{tenant}/token', 'context_mismatch'],
      ['/club/{tenant}/token', 'context_mismatch'],
      ['/club/{tenant}/token', 'method_not_allowed'],
      ['', 'not_found'],
    ],
  );
});

test('C-4: what gateways ask is no value in a path', async (t) => {
  const jetway = await startJetway(t, { programmes: { club } });
  const { basic: authorization } = await jetway.addClient({ more: { properties } });
  const { status } = await post(jetway.url, '/club/verify/token', grant, { authorization });
  assert.equal(status, 404);
  assert.equal(jetway.records[0]?.endpoint.kind, 'verification');
  const at = await post(jetway.url, '/club/login/token', grant, { authorization });
  assert.equal(at.status, 200);
});

test('P-15: of several values of a property a gateway is told the one that was sent', async (t) => {
  const jetway = await startJetway(t, { programmes: { club } });
  const { id, basic: authorization } = await jetway.addClient({ more: { properties } });
  const answer = await post(jetway.url, '/club/north/token', grant, { authorization });
  const { access_token: token } = JSON.parse(answer.body) as { readonly access_token: string };
  const told = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const { status, headers: sent } = await verify(jetway, 'club', 'client', { token, headers });
    return [status, sent['x-auth-client-id'], sent['x-region'], sent['x-seat']];
  };
  assert.deepEqual(await told({ 'X-Region': 'us' }), [200, id, 'us', '7']);
  assert.deepEqual(await told({}), [200, id, '', '7']);
  const other = await verify(jetway, 'club', 'client', { token, headers: { 'X-Region': 'asia' } });
  assert.equal(other.status, 400);
});

test('HOSTILE 76: with token_endpoint as audience, aud is the URL that was called', async (t) => {
  const signed = `${club}      client_assertion: {}
      client_assertion_type: {}
client: { authentication: { methods: [private_key_jwt], assertion: { audience: token_endpoint } } }
revocation: { path: /revoke }
`;
  const jetway = await startJetway(t, { programmes: { club: signed } });
  const key = testKey();
  const { id } = await jetway.addClient({
    more: { properties, secrets: [], assertionKeys: { keys: registered(key) } },
  });
  let count = 0;
  const send = async (
    path: string,
    aud: unknown,
    more: Readonly<Record<string, string>> = grant,
  ): Promise<number> => {
    count += 1;
    const exp = Math.floor(jetway.clock.now() / 1000) + 60;
    const assertion = signJwt(key, { iss: id, sub: id, aud, exp, jti: `id-${count}` });
    const fields = { client_assertion_type: assertionType, client_assertion: assertion, ...more };
    return (await post(jetway.url, path, fields)).status;
  };
  const urlOf = (tenant: string): string => `https://tokens.example/club/${tenant}/token`;
  assert.equal(await send('/club/north/token', urlOf('north')), 200);
  // Both are addresses of this client: it may keep one aud for all.
  assert.equal(await send('/club/login/token', urlOf('north')), 200);
  assert.equal(await send('/club/revoke', urlOf('north'), { token: 'any' }), 200);
  for (const aud of [
    urlOf('{tenant}'),
    urlOf('%7Btenant%7D'),
    urlOf('south'),
    urlOf('%6eorth'),
    'https://tokens.example/club',
    'https://tokens.example/club/north',
  ]) {
    assert.equal(await send('/club/north/token', aud), 401, aud);
    const { expected, came } = jetway.records.at(-1)?.failure?.facts.cause ?? {};
    assert.deepEqual(
      [expected, came],
      ['an assertion, aud: the URL of the request', 'another one'],
    );
  }
  // Another client's address is refused, whatever aud says.
  assert.equal(await send('/club/south/token', urlOf('south')), 401);
  assert.equal(await send('/club/south/token', urlOf('north')), 400);
  assert.equal(jetway.records.at(-1)?.failure?.reason, 'context_mismatch');
});

test('C-2: programmes that share a path with a value in it are told apart by the selector', async (t) => {
  const shared = (name: string, isDefault: boolean): string =>
    `${club.replace('Club\n', `${name}\n`).replace('identifier: Club', `identifier: ${name}`)}      club: { in: header, name: X-Club, must_equal: programme.identifier }
authorize: { endpoint: { inputs: { club: { in: header, name: X-Club, must_equal: programme.identifier } } } }
selector: { input: club, default: ${isDefault} }
`;
  const programmes = { north: shared('North', true), south: shared('South', false) };
  const jetway = await startJetway(t, { programmes });
  const { basic: authorization } = await jetway.addClient({
    programme: 'south',
    more: { properties: { tenant: 'a', seat: '1', region: 'eu' } },
  });
  const send = (named: string): ReturnType<typeof post> =>
    post(jetway.url, '/club/a/token', grant, { authorization, 'X-Club': named });
  assert.equal((await send('South')).status, 200);
  assert.equal((await send('North')).status, 401);
});

test('C-2: the root of the host can be the path of the login by GET and of tokens by POST', async (t) => {
  const root = `variant: grant
name: Root
programme_identifier: Root
base_path: /
authorize: { endpoint: { path: /, methods: [GET] } }
token_endpoints: { grant: { path: /, methods: [POST] } }
login: { path: /sign-in }
`;
  for (const publicUrl of ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/below']) {
    const jetway = await startJetway(t, { programmes: { root }, publicUrl });
    const { id, basic: authorization } = await jetway.addClient({});
    const base = new URL(publicUrl).pathname.replace(/\/$/, '');
    const begun = await ask(jetway.url, `${base}/?client_id=${id}&response_type=code`);
    assert.match(
      begun.headers['location'] ?? '',
      new RegExp(`^${publicUrl}/sign-in\\?transaction=`),
    );
    assert.match(begun.headers['set-cookie'] ?? '', new RegExp(`; Path=${base}/sign-in; `));
    const page = await ask(jetway.url, new URL(begun.headers['location'] ?? '').pathname);
    assert.equal(page.status, 400);
    const { status } = await post(jetway.url, `${base}/`, grant, { authorization });
    assert.equal(status, 200);
    const { headers } = await ask(jetway.url, `${base}/`, { method: 'HEAD' });
    assert.equal(headers['allow'], 'GET, POST');
  }
});
