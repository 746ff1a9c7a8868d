// The executive club with signed tokens: claims, signatures and the key set (C-9).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeProtectedHeader, type JSONWebKeySet } from 'jose';

import {
  askPartnerToken,
  jsonHeaders,
  openClub,
  paths,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import { keySetOf, verifyJwt } from '../support/resource_server.ts';
import { ask } from '../support/wire.ts';

const issuer = `${publicUrl}/executive-club`;
const startedAt = Date.parse('2026-01-02T03:04:05Z') / 1000;

function signed(algorithm?: string): string {
  const more = algorithm === undefined ? '' : `, algorithm: ${algorithm}`;
  return `tokens: { access: { format: jwt${more} } }`;
}

const base = '/executive-club';

for (const [algorithm, members] of [
  ['ES256', ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']],
  ['EdDSA', ['alg', 'crv', 'kid', 'kty', 'use', 'x']],
  ['RS256', ['alg', 'e', 'kid', 'kty', 'n', 'use']],
] as const) {
  test(`C-9 HOSTILE 37: tokens signed ${algorithm} verify with the published key`, async (t) => {
    const club = await openClub(t, { over: signed(algorithm) });
    const keySet = await keySetOf(club, base);
    assert.deepEqual(
      keySet.keys.map((key) => Object.keys(key).toSorted()),
      [members],
    );
    assert.deepEqual([keySet.keys[0]?.alg, keySet.keys[0]?.use], [algorithm, 'sig']);
    const { access_token: token } = await tokensOfLogin(club);
    const { protectedHeader } = await verifyJwt(club, base, token);
    assert.deepEqual(protectedHeader, { alg: algorithm, typ: 'at+jwt', kid: keySet.keys[0]?.kid });
    const forged = token.replace(/\.[^.]*$/, (signature) => signature.replaceAll(/[A-M]/g, 'Z'));
    await assert.rejects(verifyJwt(club, base, forged), { code: /^ERR_JWS/ });
  });
}

test('C-9: the claims of a member token', async (t) => {
  const club = await openClub(t, { over: signed() });
  const tokens = await tokensOfLogin(club);
  const { payload } = await verifyJwt(club, base, tokens.access_token);
  assert.match(payload.jti ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(payload, {
    iss: issuer,
    aud: issuer,
    sub: club.member.subject,
    client_id: club.client.id,
    jti: payload.jti,
    iat: startedAt,
    exp: startedAt + 1800,
    scope: 'AUTHN-LEVEL-10',
    family: payload['family'],
  });
  assert.equal(decodeProtectedHeader(tokens.access_token).alg, 'ES256');
  const next = await refresh(club, tokens.refresh_token);
  const { payload: refreshed } = await verifyJwt(club, base, tokensIn(next).access_token);
  assert.equal(refreshed['family'], payload['family']);
  assert.notEqual(refreshed.jti, payload.jti);
});

test('C-9 HOSTILE 34: a partner token’s subject cannot be taken for a member', async (t) => {
  const club = await openClub(t, { over: signed() });
  const answer = await askPartnerToken(club);
  assert.deepEqual(answer.headers, jsonHeaders);
  const { access_token: token, ...rest } = tokensIn(answer);
  assert.deepEqual(rest, { scope: 'AUTHN-LEVEL-15', token_type: 'bearer', expires_in: 1800 });
  const { payload } = await verifyJwt(club, base, token);
  assert.deepEqual(payload, {
    iss: issuer,
    aud: issuer,
    sub: `client:${club.client.id}`,
    client_id: club.client.id,
    jti: payload.jti,
    iat: startedAt,
    exp: startedAt + 1800,
    scope: 'AUTHN-LEVEL-15',
  });
});

test('C-9: the audience is what the file says', async (t) => {
  const club = await openClub(t, { over: `audience: https://api.example\n${signed()}` });
  const { access_token: token } = await tokensOfLogin(club);
  const payload = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as Readonly<Record<string, unknown>>;
  assert.deepEqual([payload['aud'], payload['iss']], ['https://api.example', issuer]);
});

test('C-9: claims of the file’s own stand beside those that every token has', async (t) => {
  const claims = '{ level: scope, partner: client_name, v: { constant: 1 } }';
  const over = `tokens: { access: { format: jwt, claims: ${claims} } }`;
  const club = await openClub(t, { over });
  const { access_token: token } = await tokensOfLogin(club);
  const { payload } = await verifyJwt(club, base, token);
  const { level, partner, v, sub } = payload;
  assert.deepEqual([level, partner, v, sub], ['AUTHN-LEVEL-10', 'Partner', 1, club.member.subject]);
});

test('C-9: a restart keeps the key; another algorithm leaves the old one published', async (t) => {
  const club = await openClub(t, { over: signed() });
  const [first] = (await keySetOf(club, base)).keys;
  const again = async (over: string): Promise<JSONWebKeySet> => {
    // The store of the first server lives as long as the test.
    const programmes = { 'executive-club': shippedProgramme('executive-club', over) };
    const { url } = await startJetway(t, { programmes, store: club.store });
    return JSON.parse((await ask(url, paths.keys)).body) as JSONWebKeySet;
  };
  assert.deepEqual((await again(signed())).keys, [first]);
  const after = (await again(signed('RS256'))).keys;
  assert.deepEqual(after[0], first);
  assert.deepEqual(
    after.map(({ alg }) => alg),
    ['ES256', 'RS256'],
  );
});
