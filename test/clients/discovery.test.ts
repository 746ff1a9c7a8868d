// Owns the proof that standard clients find a programme by its metadata (RFC 8414), and introspect
// and revoke with what they find; the document holds what the configuration says and nothing else.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { addGateway } from '../support/gateway.ts';
import { type Jetway, publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import { type Answer, ask } from '../support/wire.ts';
import { allowInsecureRequests, insecure } from './marked.ts';
import { callbackAfterLogin } from './partner.ts';

const on = `
metadata: on
introspection: { path: /introspect }
revocation: { path: /revoke }
`;

async function startClub(t: TestContext): Promise<Jetway> {
  const programmes = { 'executive-club': shippedProgramme('executive-club', on) };
  return startJetway(t, { programmes, publicUrl: 'listening' });
}

function documentOf(answer: Answer): unknown {
  assert.equal(answer.status, 200, answer.body);
  assert.deepEqual(answer.headers, {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=300',
  });
  return JSON.parse(answer.body);
}

const wellKnown = '/.well-known/oauth-authorization-server';

test('C-6 HOSTILE 50: the grant variant’s metadata, whatever Host is sent', async (t) => {
  const programmes = { 'executive-club': shippedProgramme('executive-club', on) };
  const { url } = await startJetway(t, { programmes });
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const base = `${publicUrl}/executive-club`;
  assert.deepEqual(documentOf(await ask(url, `${wellKnown}/executive-club`, { headers })), {
    issuer: base,
    authorization_endpoint: `${base}/auth/login`,
    token_endpoint: `${base}/api/grant`,
    scopes_supported: ['AUTHN-LEVEL-10', 'AUTHN-LEVEL-12', 'AUTHN-LEVEL-15'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    interface_version: 'v1',
    revocation_endpoint: `${base}/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
    introspection_endpoint: `${base}/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  });
  assert.equal((await ask(url, `${wellKnown}/executive-club`, { method: 'POST' })).status, 405);
});

test('the partner-login variant’s metadata, two names and a shared base path among it', async (t) => {
  const over = `
metadata: on
base_path: /clubs
selector: { input: programme, default: true }
interface_version: v7
`;
  const programmes = { 'second-club': shippedProgramme('second-club', over) };
  const { url } = await startJetway(t, { programmes });
  const base = `${publicUrl}/clubs`;
  const expected = {
    issuer: `${base}/second-club`,
    authorization_endpoint: `${base}/secure/code`,
    token_endpoint: `${base}/secure/key`,
    token_endpoints: {
      authorization_code: `${base}/secure/key`,
      refresh_token: [`${base}/secure/refresh`, `${base}/secure/key`],
    },
    jwks_uri: `${base}/second-club/.well-known/jwks.json`,
    scopes_supported: ['reset_password', 'retrieve_username'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    access_token_signing_alg_values_supported: ['ES256'],
    interface_version: 'v7',
  };
  for (const path of ['/second-club', '/clubs/second-club']) {
    assert.deepEqual(documentOf(await ask(url, wellKnown + path)), expected);
  }
});

test('there is none unless the file says so', async (t) => {
  const { url } = await startJetway(t);
  assert.equal((await ask(url, `${wellKnown}/executive-club`)).status, 404);
});

test('openid-client discovers a programme, logs in, introspects and revokes', async (t) => {
  const jetway = await startClub(t);
  const client = await jetway.addClient();
  const config = await openid.discovery(
    new URL(`${jetway.url}/executive-club`),
    client.id,
    client.secret,
    openid.ClientSecretBasic(),
    { algorithm: 'oauth2', execute: [allowInsecureRequests] },
  );
  assert.equal(config.serverMetadata().supportsPKCE(), true);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const login = openid.buildAuthorizationUrl(config, {
    redirect_uri: client.redirectUri,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier });
  const told = await openid.tokenIntrospection(config, tokens.access_token);
  assert.equal(told.active, true);
  assert.equal(told.client_id, client.id);
  await openid.tokenRevocation(config, tokens.refresh_token ?? '');
  const after = await openid.tokenIntrospection(config, tokens.access_token);
  assert.deepEqual(after, { active: false });
});

test('RFC 9068: an API accepts the JWTs of a programme by what its metadata says alone', async (t) => {
  const jwt = 'tokens: { access: { format: jwt } }';
  const programmes = { 'executive-club': shippedProgramme('executive-club', on, jwt) };
  const jetway = await startJetway(t, { programmes, publicUrl: 'listening' });
  const { id, secret } = await jetway.addClient();
  const issuer = new URL(`${jetway.url}/executive-club`);
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  assert.equal(as.jwks_uri, `${issuer.href}/.well-known/jwks.json`);
  const auth = oauth.ClientSecretBasic(secret);
  const request = oauth.clientCredentialsGrantRequest(as, { client_id: id }, auth, {}, insecure);
  const tokens = await oauth.processClientCredentialsResponse(as, { client_id: id }, await request);
  const shown = (headers: Readonly<Record<string, string>>): Request =>
    new Request('https://api.example/prices', { headers });
  const skew = { ...insecure, [oauth.clockSkew]: (jetway.clock.now() - Date.now()) / 1000 };
  const accept = (headers: Readonly<Record<string, string>>) =>
    oauth.validateJwtAccessToken(as, shown(headers), issuer.href, skew);
  const claims = await accept({ authorization: `Bearer ${tokens.access_token}` });
  assert.deepEqual([claims.sub, claims.client_id], [`client:${id}`, id]);
  await assert.rejects(accept({ authorization: `Bearer ${tokens.access_token}x` }));
});

test('oauth4webapi discovers a programme, and a gateway introspects and a client revokes', async (t) => {
  const jetway = await startClub(t);
  const { id, secret } = await jetway.addClient();
  await addGateway(jetway, 'executive-club', 'gateway-1', 'a-gateway-secret');
  const issuer = new URL(`${jetway.url}/executive-club`);
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  const partner = { client_id: id };
  const auth = oauth.ClientSecretBasic(secret);
  const response = await oauth.clientCredentialsGrantRequest(as, partner, auth, {}, insecure);
  const tokens = await oauth.processClientCredentialsResponse(as, partner, response);
  const gateway = { client_id: 'gateway-1' };
  const introspect = async (): Promise<oauth.IntrospectionResponse> =>
    oauth.processIntrospectionResponse(
      as,
      gateway,
      await oauth.introspectionRequest(
        as,
        gateway,
        oauth.ClientSecretBasic('a-gateway-secret'),
        tokens.access_token,
        insecure,
      ),
    );
  const told = await introspect();
  assert.equal(told.active, true);
  assert.equal(told.scope, 'AUTHN-LEVEL-15');
  const revoked = await oauth.revocationRequest(as, partner, auth, tokens.access_token, insecure);
  await oauth.processRevocationResponse(revoked);
  assert.deepEqual(await introspect(), { active: false });
});
