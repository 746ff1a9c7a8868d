// Owns the proof that openid-client in its OpenID Connect mode logs members in by what it discovers, without
// special settings, and what it is told of them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';

import { decodeProtectedHeader } from 'jose';
import * as openid from 'openid-client';

import { testClock } from '../support/clock.ts';
import { openClub, tokensOfLogin } from '../support/club.ts';
import { type Jetway, startJetway, type TestClient, withYaml } from '../support/jetway.ts';
import { ask } from '../support/wire.ts';
import { allowInsecureRequests } from './marked.ts';
import { callbackAfterLogin, callbackAtOnce, rejection } from './partner.ts';

const dialect = readFileSync('test/dialects/identity-login.yaml', 'utf8');

const execute = [allowInsecureRequests];

interface Site {
  readonly jetway: Jetway;
  readonly client: TestClient;
  readonly config: openid.Configuration;
}

/** Discovers the programme with nothing but issuer, identifier and secret. */
async function discovered(
  t: TestContext,
  yaml = dialect,
  settings: Partial<openid.ClientMetadata> = {},
): Promise<Site> {
  // The library goes by the machine's clock.
  const clock = testClock();
  clock.advance((Date.now() - clock.now()) / 1000);
  const programmes = { accounts: yaml };
  const jetway = await startJetway(t, { programmes, publicUrl: 'listening', clock });
  const client = await jetway.addClient();
  const issuer = new URL(`${jetway.url}/accounts`);
  const metadata = { client_secret: client.secret, ...settings };
  const config = await openid.discovery(issuer, client.id, metadata, undefined, { execute });
  return { jetway, client, config };
}

const person = {
  properties: { given_name: 'Zoë', family_name: 'O’Neill', tier: 'gold' },
};

for (const [algorithm, how] of [
  ['ES256', ''],
  ['RS256', ''],
  ['EdDSA', ''],
  ['RS256', ' beside access tokens with EdDSA'],
] as const) {
  test(`OpenID Connect Core 3.1: a login with ${algorithm}${how}, by discovery alone`, async (t) => {
    const words =
      how === ''
        ? `tokens: { access: { algorithm: ${algorithm} } }`
        : `tokens: { access: { algorithm: EdDSA, format: jwt } }\nid_token: { algorithm: ${algorithm} }`;
    // As a client that takes this algorithm alone, as many do RS256.
    const settings = { id_token_signed_response_alg: algorithm };
    const { jetway, client, config } = await discovered(t, withYaml(dialect, words), settings);
    const member = await jetway.addMember(person);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedNonce, expectedState] = [openid.randomNonce(), openid.randomState()];
    const login = openid.buildAuthorizationUrl(config, {
      redirect_uri: client.redirectUri,
      scope: 'openid profile',
      nonce: expectedNonce,
      state: expectedState,
      max_age: '300',
      prompt: 'login',
      display: 'page',
      ui_locales: 'en-GB en',
      login_hint: 'ann',
      acr_values: 'urn:mace:incommon:iap:silver',
      claims: '{"id_token":{"tier":null}}',
      id_token_hint: 'a.former.token',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const callback = await callbackAfterLogin(login, member);
    const tokens = await openid.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier,
      expectedNonce,
      expectedState,
      maxAge: 300,
      idTokenExpected: true,
    });
    assert.equal(decodeProtectedHeader(tokens.id_token ?? '').alg, algorithm);
    const {
      exp,
      iat,
      auth_time: authTime,
      at_hash: hash,
      ...claims
    } = { at_hash: '', ...tokens.claims() };
    assert.deepEqual(claims, {
      iss: `${jetway.url}/accounts`,
      sub: member.subject,
      aud: client.id,
      nonce: expectedNonce,
      tier: 'gold',
      locale: null,
    });
    assert.equal(Number(exp) - Number(iat), 300);
    assert.ok(Number(authTime) <= Number(iat));
    assert.match(hash, algorithm === 'EdDSA' ? /^[\w-]{43}$/ : /^[\w-]{22}$/);
    const info = await openid.fetchUserInfo(config, tokens.access_token, member.subject);
    assert.deepEqual(info, { sub: member.subject, name: 'Zoë O’Neill', tier: 'gold' });
    // A refresh is no login.
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.equal(refreshed.id_token, undefined);
    // HOSTILE 35: an identity token is no access token.
    const error = await rejection(
      openid.fetchUserInfo(config, tokens.id_token ?? '', member.subject),
    );
    assert.ok(error instanceof openid.WWWAuthenticateChallengeError, String(error));
  });
}

describe('what a login is told', () => {
  test('OpenID Connect Core 3.1.2.1: without openid there is no identity token', async (t) => {
    const { jetway, client, config } = await discovered(t);
    const login = openid.buildAuthorizationUrl(config, {
      redirect_uri: client.redirectUri,
      scope: 'profile',
      nonce: 'n',
    });
    const callback = await callbackAfterLogin(login, await jetway.addMember());
    const { code = '' } = Object.fromEntries(callback.searchParams);
    const answer = await openid.genericGrantRequest(config, 'authorization_code', { code });
    assert.equal(answer.id_token, undefined);
    const headers = { authorization: `Bearer ${answer.access_token}` };
    const refused = await ask(jetway.url, '/accounts/userinfo', { headers });
    assert.deepEqual(
      [refused.status, refused.headers['www-authenticate']],
      [403, 'Bearer error="insufficient_scope"'],
    );
  });

  test('OpenID Connect Core 3.1.2.6: prompt=none is login_required', async (t) => {
    const { client, config } = await discovered(t);
    for (const [prompt, code] of [
      ['none', 'login_required'],
      ['none login', 'invalid_request'],
    ]) {
      const login = openid.buildAuthorizationUrl(config, {
        redirect_uri: client.redirectUri,
        scope: 'openid',
        prompt: prompt ?? '',
        state: 's',
      });
      const callback = await callbackAtOnce(login);
      assert.deepEqual(Object.fromEntries(callback.searchParams), { error: code, state: 's' });
    }
  });

  test('another nonce is refused by the client', async (t) => {
    const { jetway, client, config } = await discovered(t);
    const login = openid.buildAuthorizationUrl(config, {
      redirect_uri: client.redirectUri,
      scope: 'openid',
      nonce: 'mine',
    });
    const callback = await callbackAfterLogin(login, await jetway.addMember());
    const checks = { expectedNonce: 'another' };
    const error = await rejection(openid.authorizationCodeGrant(config, callback, checks));
    assert.ok(error instanceof openid.ClientError, String(error));
  });
});

test('OpenID Connect Core 15.1: a client that takes RS256 alone refuses a login with ES256', async (t) => {
  const { jetway, client, config } = await discovered(t, dialect, {
    id_token_signed_response_alg: 'RS256',
  });
  const login = openid.buildAuthorizationUrl(config, {
    redirect_uri: client.redirectUri,
    scope: 'openid',
  });
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  const error = await rejection(openid.authorizationCodeGrant(config, callback));
  assert.ok(error instanceof openid.ClientError, String(error));
});

test('RFC 6750 3.1: what userinfo refuses, by GET and POST', async (t) => {
  const { jetway, client } = await discovered(t);
  const own = await ask(jetway.url, '/accounts/token', {
    method: 'POST',
    headers: {
      authorization: client.basic,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = JSON.parse(own.body) as { access_token: string };
  const told = async (authorization?: string, method = 'GET') => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await ask(jetway.url, '/accounts/userinfo', { method, headers });
    return [answer.status, answer.headers['www-authenticate']];
  };
  for (const method of ['GET', 'POST']) {
    assert.deepEqual(await told(undefined, method), [401, 'Bearer']);
    assert.deepEqual(await told(client.basic, method), [401, 'Bearer']);
    assert.deepEqual(await told('Bearer none', method), [401, 'Bearer error="invalid_token"']);
    assert.deepEqual(await told('Bearer a b', method), [401, 'Bearer error="invalid_token"']);
    // A client has no userinfo.
    assert.deepEqual(await told(`Bearer ${token}`, method), [
      403,
      'Bearer error="insufficient_scope"',
    ]);
  }
  assert.equal((await told(`Bearer ${token}`, 'PUT'))[0], 405);
});

test('P-15: a token for one purpose is none for userinfo', async (t) => {
  const over = `
authorize: { endpoint: { inputs: { scope: {} } } }
scope: { kind: list, values: [openid, reset], restricted: [reset], client: null, member_default: null }
id_token: {}
userinfo: { path: /userinfo, fields: { sub: subject } }
token_response: { fields: { id_token: id_token } }
grants: { client_credentials: null }
token_endpoints: { grant: { inputs: { scope: {} } } }
`;
  const club = await openClub(t, { over });
  for (const [scope, status] of [
    ['openid', 200],
    ['openid reset', 403],
  ] as const) {
    const { access_token: token } = await tokensOfLogin(club, { scope });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await ask(club.url, '/executive-club/userinfo', { headers });
    assert.equal(answer.status, status);
  }
});

test('OpenID Connect Discovery 4, RFC 8414 5: the document lies below the issuer, and before its path', async (t) => {
  const { jetway } = await discovered(t);
  const base = `${jetway.url}/accounts`;
  const answer = await ask(jetway.url, '/accounts/.well-known/openid-configuration', {});
  for (const path of [
    '/.well-known/openid-configuration/accounts',
    '/.well-known/oauth-authorization-server/accounts',
  ]) {
    assert.deepEqual(await ask(jetway.url, path, {}), answer, path);
  }
  assert.equal(answer.status, 200);
  const document = JSON.parse(answer.body) as Record<string, unknown>;
  assert.deepEqual(document, {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    scopes_supported: ['openid', 'profile'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    userinfo_endpoint: `${base}/userinfo`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'at_hash',
      'tier',
      'locale',
      'name',
    ],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    interface_version: 'v1',
  });
});

test('without identity tokens there is no document of OpenID Connect', async (t) => {
  const off = 'id_token: null\nuserinfo: null\ntoken_response: { fields: { id_token: null } }';
  const programmes = { accounts: withYaml(dialect, off) };
  const { url } = await startJetway(t, { programmes });
  for (const [path, status] of [
    ['/accounts/.well-known/openid-configuration', 404],
    ['/.well-known/openid-configuration/accounts', 404],
    ['/.well-known/oauth-authorization-server/accounts', 200],
  ] as const) {
    assert.equal((await ask(url, path, {})).status, status, path);
  }
});

test('OpenID Connect Discovery 4: an issuer without a path has one address', async (t) => {
  const yaml = withYaml(dialect, 'base_path: /');
  const { url } = await startJetway(t, { programmes: { accounts: yaml }, publicUrl: 'listening' });
  const answer = await ask(url, '/.well-known/openid-configuration', {});
  assert.deepEqual(
    [answer.status, (JSON.parse(answer.body) as { issuer: string }).issuer],
    [200, url],
  );
});
