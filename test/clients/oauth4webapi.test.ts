// Owns the proof that a standard client (oauth4webapi) gets tokens from the executive club by every
// grant, and the list of places where it needs a setting or stops, each shown by a test.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as oauth from 'oauth4webapi';

import { insecure, noPkce } from './marked.ts';
import {
  clientCredentials,
  loginUrl,
  logInPlainly,
  type MakeAuth,
  partnerOf,
  rawBasic,
  redeem,
  refresh,
  responseError,
  standardBasic,
  startClub,
  startWithPartner,
} from './oauth4webapi.ts';
import { callbackAfterLogin, formCredentials, rawCredentials, rejection } from './partner.ts';

const ways: readonly (readonly [name: string, over: string, auth: MakeAuth])[] = [
  ['as it is, on the file as shipped', '', standardBasic],
  ['as it is, where the file says credentials: form', formCredentials, standardBasic],
  ['with raw Basic of its own, on the file as shipped', '', rawBasic],
  ['with raw Basic of its own, where the file says credentials: raw', rawCredentials, rawBasic],
];

for (const [name, over, makeAuth] of ways) {
  test(`G-10 G-11 G-12: every grant, with PKCE S256 and state, ${name}`, async (t) => {
    const jetway = await startClub(t, [over]);
    const partner = partnerOf(jetway, await jetway.addClient(), makeAuth);
    const member = await jetway.addMember({ level: 'AUTHN-LEVEL-12' });
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const login = loginUrl(partner, {
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });

    const callback = await callbackAfterLogin(login, member);
    assert.deepEqual([...callback.searchParams.keys()], ['code', 'state']);
    const tokens = await redeem(partner, callback, verifier, state);
    const memberTokens = {
      scope: 'AUTHN-LEVEL-12',
      token_type: 'bearer',
      expires_in: 1800,
      // Not a standard field; the library hands it on untouched.
      ba_refresh_expires_in: 86_400,
    };
    assert.deepEqual(tokens, {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token,
      ...memberTokens,
    });

    const refreshed = await refresh(partner, tokens.refresh_token ?? '');
    assert.deepEqual(refreshed, {
      access_token: refreshed.access_token,
      refresh_token: refreshed.refresh_token,
      ...memberTokens,
    });
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token);

    const own = await clientCredentials(partner);
    assert.deepEqual(own, {
      access_token: own.access_token,
      scope: 'AUTHN-LEVEL-15',
      token_type: 'bearer',
      expires_in: 1800,
    });
  });
}

test('G-17: stops at credentials: raw, for it sends partnerapi%2D12345', async (t) => {
  const jetway = await startClub(t, [rawCredentials]);
  const partner = partnerOf(jetway, await jetway.addClient(), standardBasic);
  const headers = new Headers();
  await partner.auth(partner.as, partner.client, new URLSearchParams(), headers);
  const token = headers.get('authorization')?.slice('Basic '.length) ?? '';
  assert.equal(
    Buffer.from(token, 'base64').toString(),
    'partnerapi%2D12345:a%2Dsecret%2Dof%2Dsome%2Dlength',
  );
  // The challenge of a 401 comes before the body: the library tells of it instead of the error code.
  const error = await rejection(clientCredentials(partner));
  assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
  assert.deepEqual(
    { status: error.status, challenges: error.cause, body: await error.response.json() },
    {
      status: 401,
      challenges: [{ scheme: 'basic', parameters: { realm: 'Executive Club' } }],
      body: { error: 'invalid_client' },
    },
  );
});

test('HOSTILE 39: a secret of any characters passes where credentials are form', async (t) => {
  const jetway = await startClub(t, []);
  const client = await jetway.addClient({ secret: 'a:b+c%2Bd e/é~"' });
  await clientCredentials(partnerOf(jetway, client, standardBasic));
});

test('stops at discovery: the shipped file offers no RFC 8414 metadata', async (t) => {
  const { partner } = await startWithPartner(t);
  const issuer = new URL(partner.as.issuer);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  assert.equal(
    new URL(response.url).pathname,
    '/.well-known/oauth-authorization-server/executive-club',
  );
  const error = await rejection(oauth.processDiscoveryResponse(issuer, response));
  assert.ok(error instanceof oauth.OperationProcessingError);
  assert.equal(error.code, oauth.RESPONSE_IS_NOT_CONFORM);
});

test('C-9: needs authorization_response_iss_parameter_supported left unset, RFC 9207 iss is off', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const callback = await logInPlainly(jetway, partner);
  const strict = { ...partner.as, authorization_response_iss_parameter_supported: true };
  assert.throws(
    () => oauth.validateAuthResponse(strict, partner.client, callback),
    /response parameter "iss" \(issuer\) missing/,
  );
  oauth.validateAuthResponse(partner.as, partner.client, callback);
});

test('C-9: one line of YAML turns RFC 9207 iss on, and the client checks it', async (t) => {
  const jetway = await startClub(t, ['authorize: { answer: { issuer: iss } }'], {
    publicUrl: 'listening',
  });
  const partner = partnerOf(jetway, await jetway.addClient(), standardBasic);
  const strict = { ...partner.as, authorization_response_iss_parameter_supported: true };
  const callback = await logInPlainly(jetway, partner);
  await redeem({ ...partner, as: strict }, callback, noPkce, oauth.expectNoState);
  const elsewhere = { ...strict, issuer: 'https://another.example' };
  assert.throws(
    () => oauth.validateAuthResponse(elsewhere, partner.client, callback),
    /unexpected "iss" \(issuer\) response parameter value/,
  );
});

test('G-16: stops with the secret in the body, for Basic is the one method', async (t) => {
  const jetway = await startClub(t, []);
  const partner = partnerOf(jetway, await jetway.addClient(), ({ secret }) =>
    oauth.ClientSecretPost(secret),
  );
  const error = await responseError(clientCredentials(partner));
  assert.deepEqual([error.status, error.error], [400, 'invalid_client']);
});

test('G-16: one line of YAML takes the secret in the body', async (t) => {
  const over = 'client: { authentication: { methods: [basic, parameters] } }';
  const jetway = await startClub(t, [over]);
  const partner = partnerOf(jetway, await jetway.addClient(), ({ secret }) =>
    oauth.ClientSecretPost(secret),
  );
  await clientCredentials(partner);
});

test('stops at OpenID Connect: no ID token is issued, whatever scope is asked for', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const { as, client, auth, redirectUri } = partner;
  // The login request knows no scope here and ignores it.
  const login = loginUrl(partner, { scope: 'openid', nonce: 'n' });
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  const parameters = oauth.validateAuthResponse(as, client, callback);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    parameters,
    redirectUri,
    noPkce,
    insecure,
  );
  const error = await rejection(
    oauth.processAuthorizationCodeResponse(as, client, response, {
      expectedNonce: 'n',
      requireIdToken: true,
    }),
  );
  assert.ok(error instanceof oauth.OperationProcessingError, String(error));
  assert.match(error.message, /"id_token"/);
});

test('G-11: token_type of any case is bearer to it, and without one it stops', async (t) => {
  const shouting = 'token_response: { fields: { token_type: { constant: BEARER } } }';
  const upper = await startWithPartner(t, shouting);
  assert.equal((await clientCredentials(upper.partner)).token_type, 'bearer');
  // Why the union of the source's field lists is sent: its list for member tokens has no token_type.
  const without = await startWithPartner(t, 'token_response: { fields: { token_type: null } }');
  const error = await rejection(clientCredentials(without.partner));
  assert.ok(error instanceof oauth.OperationProcessingError, String(error));
  assert.match(error.message, /"token_type" property/);
});

test('HOSTILE 27: a redirect URI with a query is repeated whole, and the code redeemed', async (t) => {
  const jetway = await startClub(t, []);
  const redirectUris = ['https://partner.example/callback?shop=1'];
  const client = await jetway.addClient({ redirectUris });
  const partner = partnerOf(jetway, client, standardBasic);
  const callback = await logInPlainly(jetway, partner);
  assert.match(callback.search, /^\?shop=1&code=[0-9a-f]{64}$/);
  await redeem(partner, callback, noPkce, oauth.expectNoState);
});

test('C-9: as a resource server it accepts our JWT access tokens as RFC 9068 has them', async (t) => {
  const over = ['tokens: { access: { format: jwt } }'];
  const jetway = await startClub(t, over, { publicUrl: 'listening' });
  const partner = partnerOf(jetway, await jetway.addClient(), standardBasic);
  const as = { ...partner.as, jwks_uri: `${partner.as.issuer}/.well-known/jwks.json` };
  const accept = (token: string, audience: string): Promise<oauth.JWTAccessTokenClaims> =>
    oauth.validateJwtAccessToken(
      as,
      new Request('https://api.example', { headers: { authorization: `Bearer ${token}` } }),
      audience,
      { ...insecure, [oauth.clockSkew]: (jetway.clock.now() - Date.now()) / 1000 },
    );
  const member = await jetway.addMember();
  const callback = await callbackAfterLogin(loginUrl(partner, {}), member);
  const tokens = await redeem(partner, callback, noPkce, oauth.expectNoState);
  const claims = await accept(tokens.access_token, as.issuer);
  assert.deepEqual(claims, {
    iss: as.issuer,
    aud: as.issuer,
    sub: claims.sub,
    client_id: partner.client.client_id,
    jti: claims.jti,
    iat: 1_767_323_045,
    exp: 1_767_324_845,
    scope: 'AUTHN-LEVEL-10',
    // Ours: by it the tokens of one login are revoked together.
    family: claims['family'],
  });
  assert.ok(claims.sub.endsWith(member.subject));
  const own = await clientCredentials(partner);
  assert.notEqual((await accept(own.access_token, as.issuer)).sub, claims.sub);
  await assert.rejects(accept(own.access_token, 'https://another.example'));
});
