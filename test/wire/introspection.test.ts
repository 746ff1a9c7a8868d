// Owns introspection on the wire (RFC 7662): who may ask, of what, and what they are told.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import type { GatewayId } from '../../src/oauth/gateway.ts';
import {
  askPartnerToken,
  type Club,
  jsonHeaders,
  openClub,
  programme,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { addGateway } from '../support/gateway.ts';
import { publicUrl } from '../support/jetway.ts';
import { openPartnerClub, tokensOfLogin as partnerTokens } from '../support/partner_club.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const on = 'introspection: { path: /introspect }';
const path = '/executive-club/introspect';
const issuer = `${publicUrl}/executive-club`;
const issuedAt = Date.parse('2026-01-02T03:04:05Z') / 1000;

function asked(club: Club, authorization: string, token: string, more = {}): Promise<Answer> {
  return post(club.url, path, { token, ...more }, { authorization });
}

const inactive: Answer = { status: 200, headers: jsonHeaders, body: '{"active":false}' };

function active(facts: object): Answer {
  return { status: 200, headers: jsonHeaders, body: JSON.stringify({ active: true, ...facts }) };
}

const memberFacts = {
  token_type: 'bearer',
  client_id: 'partnerapi-12345',
  sub: 'subject-of-ann',
  scope: 'AUTHN-LEVEL-10',
  iss: issuer,
  aud: issuer,
  iat: issuedAt,
  exp: issuedAt + 1800,
};

test('a gateway is told of every access token of its programme that is good', async (t) => {
  const club = await openClub(t, { over: on });
  const gateway = await addGateway(club, programme);
  const { access_token: token, refresh_token: other } = await tokensOfLogin(club);
  assert.deepEqual(await asked(club, gateway, token), active(memberFacts));
  const hint = { token_type_hint: 'refresh_token', unknown: 'x' };
  assert.deepEqual(await asked(club, gateway, token, hint), active(memberFacts));
  const { access_token: own } = tokensIn(await askPartnerToken(club));
  const ownFacts = { ...memberFacts, sub: 'client:partnerapi-12345', scope: 'AUTHN-LEVEL-15' };
  assert.deepEqual(await asked(club, gateway, own), active(ownFacts));
  // HOSTILE 35: at an API a refresh token is nothing.
  assert.deepEqual(await asked(club, gateway, other), inactive);
  assert.deepEqual(await asked(club, gateway, 'unknown'), inactive);
  club.clock.advance(1800);
  assert.deepEqual(await asked(club, gateway, token), inactive);
});

test('a client is told of its own tokens, refresh tokens too, and of nobody else’s', async (t) => {
  const club = await openClub(t, { over: on });
  const another = await club.addClient({ id: 'partnerapi-54321' });
  const first = await tokensOfLogin(club);
  const { basic } = club.client;
  assert.deepEqual(await asked(club, basic, first.access_token), active(memberFacts));
  const { client_id, sub, scope, iss } = memberFacts;
  const told = { token_use: 'refresh_token', client_id, sub, scope, iss, exp: issuedAt + 86_400 };
  assert.deepEqual(await asked(club, basic, first.refresh_token), active(told));
  for (const token of [first.access_token, first.refresh_token]) {
    assert.deepEqual(await asked(club, another.basic, token), inactive);
  }
  // Asking about a used one is no use of it: the login goes on.
  const second = tokensIn(await refresh(club, first.refresh_token));
  assert.deepEqual(await asked(club, basic, first.refresh_token), inactive);
  assert.deepEqual(await asked(club, basic, second.refresh_token), active(told));
});

test('HOSTILE 43: a question may hold what is neither declared nor known, as often as it will', async (t) => {
  const club = await openClub(t, { over: `${on}\nrevocation: { path: /revoke }` });
  const { access_token: token } = await tokensOfLogin(club);
  const headers = { authorization: club.client.basic };
  const send = (target: string, more: readonly (readonly [string, string])[]): Promise<Answer> =>
    post(club.url, target, [['token', token], ...more], headers);
  const strangers = ['resource', 'foo[]', 'token[]', 'TOKEN', '__proto__'].flatMap((name) => [
    [name, 'a'] as const,
    [name, 'b'] as const,
  ]);
  assert.deepEqual(await send(path, strangers), active(memberFacts));
  for (const name of ['token', 'token_type_hint', 'client_secret', 'state']) {
    const twice = [name, name].map((one) => [one, 'x'] as const);
    for (const target of [path, '/executive-club/revoke']) {
      const error = { error: 'invalid_request', error_description: `${name} is repeated` };
      assert.deepEqual(await send(target, twice), refused(400, error), name);
    }
  }
  assert.equal((await send('/executive-club/revoke', strangers)).status, 200);
  assert.deepEqual(await asked(club, club.client.basic, token), inactive);
});

test('nobody else is told anything, in the words of the dialect', async (t) => {
  const club = await openClub(t, { over: on });
  const gateway = await addGateway(club, programme);
  const { access_token: token } = await tokensOfLogin(club);
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  for (const wrong of [basic('gateway-1:wrong'), basic('gateway-2:x'), basic('partnerapi-1:x')]) {
    assert.deepEqual(await asked(club, wrong, token), unknownClient);
  }
  const headers = {};
  const none = await post(club.url, path, { token }, headers);
  assert.deepEqual(none, refused(400, { error: 'invalid_client' }));
  await club.store.change('gateway', programme, 'gateway-1' as GatewayId, (one) => ({
    ...one,
    status: 'disabled',
  }));
  assert.deepEqual(await asked(club, gateway, token), unknownClient);
  await club.store.remove('gateway', programme, 'gateway-1' as GatewayId, club.clock.now());
  assert.deepEqual(await asked(club, gateway, token), unknownClient);
});

test('a request is one POST form with one token', async (t) => {
  const club = await openClub(t, { over: on });
  const authorization = await addGateway(club, programme);
  const invalid = (text: string) =>
    refused(400, { error: 'invalid_request', error_description: text });
  const twice = [
    ['token', 'a'],
    ['token', 'b'],
  ] as const;
  const sent = (fields: Parameters<typeof post>[2]) =>
    post(club.url, path, fields, { authorization });
  assert.deepEqual(await sent({}), invalid('token is missing'));
  assert.deepEqual(await sent({ token: '' }), invalid('token is missing'));
  assert.deepEqual(await sent(twice), invalid('token is repeated'));
  const inQuery = await post(club.url, `${path}?token=x`, {}, { authorization });
  assert.deepEqual(inQuery, invalid('token must be sent in the request body'));
  const got = await ask(club.url, path, { headers: { authorization } });
  assert.deepEqual(got, {
    status: 405,
    headers: { ...jsonHeaders, allow: 'POST' },
    body: JSON.stringify({
      error: 'invalid_request',
      error_description: 'method not allowed',
    }),
  });
  const named = await sent({ token: 'x', client_id: 'partnerapi-54321' });
  assert.deepEqual(named, invalid('client_id is not the authenticated client'));
});

test('G-22: when the store is away nothing is called inactive', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { over: on, store: failing.store });
  const gateway = await addGateway(club, programme);
  const { access_token: token } = await tokensOfLogin(club);
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  for (const verb of ['find gateway', 'findLogin', 'isStanding', 'find client'] as const) {
    failing.fail(verb, new Unavailable('the disk is gone'));
    assert.deepEqual(await asked(club, gateway, token), away, verb);
    failing.heal();
  }
});

test('a JWT is told of by its claims, and a refresh JWT only to its client', async (t) => {
  const club = await openPartnerClub(t, { over: on });
  const gateway = await addGateway(club, club.programme);
  const tokens = await partnerTokens(club);
  const about = (authorization: string, token: string): Promise<Answer> =>
    post(club.url, '/second-club/introspect', { token }, { authorization });
  const own = `${publicUrl}/second-club`;
  const facts = {
    token_type: 'bearer',
    client_id: 'Partner1',
    sub: 'subject-of-ann',
    iss: own,
    aud: own,
    iat: issuedAt,
    exp: issuedAt + 1800,
    jti: String(tokens.jti),
  };
  assert.deepEqual(await about(gateway, tokens.access_token), active(facts));
  assert.deepEqual(await about(gateway, tokens.refresh_token), inactive);
  const refreshFacts = {
    token_use: 'refresh_token',
    client_id: 'Partner1',
    sub: 'subject-of-ann',
    iss: own,
    exp: issuedAt + 86_400,
  };
  assert.deepEqual(await about(club.client.basic, tokens.refresh_token), active(refreshFacts));
});
