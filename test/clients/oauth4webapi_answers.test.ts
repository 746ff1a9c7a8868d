// Owns what a standard client (oauth4webapi) makes of answers other than tokens: states, errors on
// the redirect, error bodies and outages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as oauth from 'oauth4webapi';

import { Unavailable } from '../../src/oauth/failure.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { insecure, noPkce } from './marked.ts';
import {
  clientCredentials,
  loginUrl,
  logInPlainly,
  partnerOf,
  redeem,
  refresh,
  responseError,
  standardBasic,
  startClub,
  startWithPartner,
} from './oauth4webapi.ts';
import { callbackAfterLogin, callbackAtOnce, rejection } from './partner.ts';

test('state: another, a missing and an unexpected one are refused by the client', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const member = await jetway.addMember();
  const { as, client } = partner;
  const stateful = await callbackAfterLogin(loginUrl(partner, { state: 'mine' }), member);
  const stateless = await callbackAfterLogin(loginUrl(partner, {}), member);
  const validate = (callback: URL, state?: string): void => {
    oauth.validateAuthResponse(as, client, callback, state);
  };
  assert.throws(() => validate(stateful, 'another'), { code: oauth.INVALID_RESPONSE });
  assert.throws(() => validate(stateless, 'mine'), { code: oauth.INVALID_RESPONSE });
  assert.throws(() => validate(stateful), { code: oauth.INVALID_RESPONSE });
  validate(stateful, 'mine');
  validate(stateless);
});

test('G-3: state comes back as it went, whatever is in it', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const state = `a+b %2B&c=d#"><script>~!*'()${'x'.repeat(1000)}`;
  const member = await jetway.addMember();
  const callback = await callbackAfterLogin(loginUrl(partner, { state }), member);
  await redeem(partner, callback, noPkce, state);
});

test('G-5 G-22: an error on the redirect becomes AuthorizationResponseError', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const roleless = await jetway.addClient({ id: 'partnerapi-54321', roles: ['partner'] });
  const plain = { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' };
  for (const [by, parameters, code] of [
    [partner, { response_type: 'token' }, 'unsupported_response_type'],
    [partner, { response_type: '' }, 'invalid_request'],
    [partner, plain, 'invalid_request'],
    [partnerOf(jetway, roleless, standardBasic), {}, 'access_denied'],
  ] as const) {
    const callback = await callbackAtOnce(loginUrl(by, { state: 's', ...parameters }));
    assert.throws(
      () => oauth.validateAuthResponse(by.as, by.client, callback, 's'),
      (error) => error instanceof oauth.AuthorizationResponseError && error.error === code,
    );
  }
});

test('HOSTILE 28: PKCE is enforced against this client, and a failed try spends nothing', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const login = loginUrl(partner, { code_challenge: challenge, code_challenge_method: 'S256' });
  const callback = await callbackAfterLogin(login, await jetway.addMember());
  const wrongs: readonly (string | typeof noPkce)[] = [oauth.generateRandomCodeVerifier(), noPkce];
  for (const wrong of wrongs) {
    const error = await responseError(redeem(partner, callback, wrong, oauth.expectNoState));
    assert.deepEqual([error.status, error.error], [400, 'invalid_grant']);
  }
  await redeem(partner, callback, verifier, oauth.expectNoState);
});

test('G-12 and G-14 to G-21: error bodies become ResponseBodyError with their code', async (t) => {
  const { jetway, partner } = await startWithPartner(t);
  const roleless = await jetway.addClient({ id: 'partnerapi-54321', roles: [] });
  const callback = await logInPlainly(jetway, partner);
  const replay = (): Promise<unknown> => redeem(partner, callback, noPkce, oauth.expectNoState);
  await replay();
  const { as, client, auth } = partner;
  const ask = async (grantType: string): Promise<unknown> => {
    const nothing = new URLSearchParams();
    const response = await oauth.genericTokenEndpointRequest(
      as,
      client,
      auth,
      grantType,
      nothing,
      insecure,
    );
    return oauth.processGenericTokenEndpointResponse(as, client, response);
  };
  const cases: readonly (readonly [() => Promise<unknown>, object])[] = [
    [() => ask('password'), { error: 'unsupported_grant_type' }],
    [
      () => ask('authorization_code'),
      { error: 'invalid_request', error_description: 'code is missing' },
    ],
    [replay, { error: 'invalid_grant' }],
    [
      () => refresh(partner, 'never issued'),
      { error: 'invalid_grant', error_description: 'invalid_token' },
    ],
    [
      () => clientCredentials(partnerOf(jetway, roleless, standardBasic)),
      { error: 'invalid_grant', error_description: 'access_denied' },
    ],
    [() => clientCredentials({ ...partner, auth: oauth.None() }), { error: 'invalid_client' }],
    [() => clientCredentials(partner, { scope: 'openid' }), { error: 'invalid_scope' }],
  ];
  for (const [request, body] of cases) {
    const error = await responseError(request());
    assert.equal(error.status, 400);
    assert.deepEqual(error.cause, body);
  }
});

test('G-18: a throttled request becomes ResponseBodyError with its Retry-After at hand', async (t) => {
  const { partner } = await startWithPartner(t, 'throttle: { limit: 1, window: 1m }');
  await clientCredentials(partner);
  const error = await responseError(clientCredentials(partner));
  assert.deepEqual(
    [error.status, error.error, error.response.headers.get('retry-after')],
    [429, 'too_many_tokens', '60'],
  );
});

test('G-22: an outage is an error of the server to it, not invalid_grant', async (t) => {
  const store = openMemoryStore();
  const jetway = await startClub(t, [], { store });
  const partner = partnerOf(jetway, await jetway.addClient(), standardBasic);
  t.mock.method(store, 'find', () => Promise.reject(new Unavailable('the store is away')));
  // The library reads error bodies of 4xx only; this one's stands in the response it hands on.
  const error = await rejection(clientCredentials(partner));
  assert.ok(error instanceof oauth.OperationProcessingError, String(error));
  assert.equal(error.code, oauth.RESPONSE_IS_NOT_CONFORM);
  const response = error.cause as Response;
  assert.deepEqual(
    [response.status, response.headers.get('retry-after'), await response.json()],
    [503, '5', { error: 'temporarily_unavailable' }],
  );
});
