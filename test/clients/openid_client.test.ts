// Owns the proof that a standard client with a configuration of its own (openid-client, which stands
// on oauth4webapi) gets tokens from the executive club, and where it needs a setting or stops.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import * as openid from 'openid-client';

import {
  type Jetway,
  type JetwayOptions,
  shippedProgramme,
  startJetway,
  type TestClient,
} from '../support/jetway.ts';
import { allowInsecureRequests } from './marked.ts';
import {
  callbackAfterLogin,
  callbackAtOnce,
  endpointsOf,
  formCredentials,
  rawCredentials,
  rejection,
} from './partner.ts';

const extensions = [allowInsecureRequests];

/** The setting that lets this client talk to `credentials: raw`: its own Basic. */
function rawBasic(secret: string): openid.ClientAuth {
  return (_as, { client_id: id }, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
  };
}

/** Configured by hand, for there is no metadata to discover. */
function configure(
  jetway: Jetway,
  { id, secret }: TestClient,
  auth?: openid.ClientAuth,
): openid.Configuration {
  const config = new openid.Configuration({ ...endpointsOf(jetway.url) }, id, secret, auth);
  for (const extension of extensions) extension(config);
  return config;
}

async function startClub(t: TestContext, over = '', more: JetwayOptions = {}): Promise<Jetway> {
  const programmes = { 'executive-club': shippedProgramme('executive-club', over) };
  return startJetway(t, { programmes, ...more });
}

/** A club that takes this client's own Basic, and the client. */
async function startWithPartner(
  t: TestContext,
  redirectUri = 'https://partner.example/callback',
): Promise<{ readonly jetway: Jetway; readonly config: openid.Configuration }> {
  const jetway = await startClub(t);
  const client = await jetway.addClient({ redirectUris: [redirectUri] });
  return { jetway, config: configure(jetway, client, openid.ClientSecretBasic()) };
}

const ways: readonly (readonly [
  name: string,
  over: string,
  makeAuth: (client: TestClient) => openid.ClientAuth,
])[] = [
  ['ClientSecretBasic, on the file as shipped', '', () => openid.ClientSecretBasic()],
  [
    'ClientSecretBasic, where the file says credentials: form',
    formCredentials,
    () => openid.ClientSecretBasic(),
  ],
  ['raw Basic of its own, on the file as shipped', '', ({ secret }) => rawBasic(secret)],
];

for (const [name, over, makeAuth] of ways) {
  test(`G-10 G-11 G-12: every grant, with PKCE S256 and state, by ${name}`, async (t) => {
    const jetway = await startClub(t, over);
    const client = await jetway.addClient();
    const config = configure(jetway, client, makeAuth(client));
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const login = openid.buildAuthorizationUrl(config, {
      redirect_uri: client.redirectUri,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const member = await jetway.addMember({ level: 'AUTHN-LEVEL-15' });
    const callback = await callbackAfterLogin(login, member);
    const checks = { pkceCodeVerifier, expectedState };
    const tokens = await openid.authorizationCodeGrant(config, callback, checks);
    const memberTokens = {
      scope: 'AUTHN-LEVEL-15',
      token_type: 'bearer',
      expires_in: 1800,
      ba_refresh_expires_in: 86_400,
    };
    assert.deepEqual(
      { ...tokens },
      {
        access_token: tokens.access_token,
        refresh_token: tokens.refresh_token,
        ...memberTokens,
      },
    );
    // Not a standard field; the library hands it on, typed unknown.
    assert.equal(tokens['ba_refresh_expires_in'], 86_400);
    assert.ok((tokens.expiresIn() ?? 0) > 1500);

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.deepEqual(
      { ...refreshed },
      {
        access_token: refreshed.access_token,
        refresh_token: refreshed.refresh_token,
        ...memberTokens,
      },
    );

    const own = await openid.clientCredentialsGrant(config);
    assert.deepEqual(
      { ...own },
      {
        access_token: own.access_token,
        scope: 'AUTHN-LEVEL-15',
        token_type: 'bearer',
        expires_in: 1800,
      },
    );
  });
}

test('G-16: stops as configured by default, for it puts the secret in the body', async (t) => {
  const jetway = await startClub(t);
  const config = configure(jetway, await jetway.addClient());
  const error = await rejection(openid.clientCredentialsGrant(config));
  assert.ok(error instanceof openid.ResponseBodyError, String(error));
  assert.deepEqual([error.status, error.error], [400, 'invalid_client']);
});

test('G-16: one line of YAML takes it as configured by default', async (t) => {
  const over = 'client: { authentication: { methods: [basic, parameters] } }';
  const jetway = await startClub(t, over);
  const config = configure(jetway, await jetway.addClient());
  assert.equal((await openid.clientCredentialsGrant(config)).token_type, 'bearer');
});

test('G-17: stops with ClientSecretBasic at credentials: raw, for it encodes the hyphen', async (t) => {
  const jetway = await startClub(t, rawCredentials);
  const config = configure(jetway, await jetway.addClient(), openid.ClientSecretBasic());
  const error = await rejection(openid.clientCredentialsGrant(config));
  assert.ok(error instanceof openid.WWWAuthenticateChallengeError, String(error));
  assert.deepEqual(
    { status: error.status, challenges: error.cause, body: await error.response.json() },
    {
      status: 401,
      challenges: [{ scheme: 'basic', parameters: { realm: 'Executive Club' } }],
      body: { error: 'invalid_client' },
    },
  );
});

test('stops at discovery(): the shipped file offers no RFC 8414 metadata', async (t) => {
  const jetway = await startClub(t);
  const { id, secret } = await jetway.addClient();
  const issuer = new URL(`${jetway.url}/executive-club`);
  const error = await rejection(
    openid.discovery(issuer, id, secret, openid.ClientSecretBasic(), {
      algorithm: 'oauth2',
      execute: [...extensions],
    }),
  );
  assert.ok(error instanceof openid.ClientError, String(error));
  assert.equal(error.message, 'unexpected HTTP response status code');
});

test('stops at OpenID Connect: there is no ID token to expect', async (t) => {
  const { jetway, config } = await startWithPartner(t);
  const login = openid.buildAuthorizationUrl(config, { scope: 'openid' });
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  const error = await rejection(
    openid.authorizationCodeGrant(config, callback, { idTokenExpected: true }),
  );
  assert.ok(error instanceof openid.ClientError, String(error));
  assert.equal(error.message, 'invalid response encountered');
});

test('HOSTILE 27: stops at a redirect URI with a query, for it repeats the URI without it', async (t) => {
  const { jetway, config } = await startWithPartner(t, 'https://partner.example/callback?shop=1');
  const login = openid.buildAuthorizationUrl(config, {});
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  const error = await rejection(openid.authorizationCodeGrant(config, callback));
  assert.ok(error instanceof openid.ResponseBodyError, String(error));
  assert.deepEqual([error.status, error.error], [400, 'invalid_grant']);
  // The try spent nothing, and a request written by hand redeems the code: this dialect needs no
  // redirect_uri there.
  const code = callback.searchParams.get('code') ?? '';
  const tokens = await openid.genericGrantRequest(config, 'authorization_code', { code });
  assert.equal(tokens.token_type, 'bearer');
});

test('state: another one is refused by the client before it asks for tokens', async (t) => {
  const { jetway, config } = await startWithPartner(t);
  const login = openid.buildAuthorizationUrl(config, { state: 'mine' });
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  for (const checks of [{ expectedState: 'another' }, {}]) {
    const error = await rejection(openid.authorizationCodeGrant(config, callback, checks));
    assert.ok(error instanceof openid.ClientError, String(error));
    assert.equal(error.code, 'OAUTH_INVALID_RESPONSE');
  }
  await openid.authorizationCodeGrant(config, callback, { expectedState: 'mine' });
});

test('G-5: an error on the redirect becomes AuthorizationResponseError', async (t) => {
  const { config } = await startWithPartner(t);
  const login = openid.buildAuthorizationUrl(config, { response_type: 'token', state: 's' });
  const callback = await callbackAtOnce(login);
  const error = await rejection(
    openid.authorizationCodeGrant(config, callback, { expectedState: 's' }),
  );
  assert.ok(error instanceof openid.AuthorizationResponseError, String(error));
  assert.equal(error.error, 'unsupported_response_type');
});

test('G-19: a refresh token of no one becomes ResponseBodyError with code and description', async (t) => {
  const { config } = await startWithPartner(t);
  const error = await rejection(openid.refreshTokenGrant(config, 'never issued'));
  assert.ok(error instanceof openid.ResponseBodyError, String(error));
  assert.deepEqual(
    [error.status, error.error, error.error_description],
    [400, 'invalid_grant', 'invalid_token'],
  );
});
