// Owns the verify endpoint of the partner-login clubs on the wire: JWTs, forged ones among them, and
// tokens for one purpose (P-15).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import { rotateKeys } from '../../src/cli/keys/changes.ts';
import { milliseconds } from '../../src/lib/clock.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import type { FamilyId } from '../../src/oauth/grant.ts';
import { forgeries } from '../support/forgeries.ts';
import { giveApiKey, passed, type Shown, verify } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import {
  joinClub,
  memberFacts,
  naming,
  openPartnerClub,
  type PartnerClub,
  redeem,
  refresh,
  refused,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
  codeFor,
} from '../support/partner_club.ts';
import type { Answer } from '../support/wire.ts';

const invalidToken = refused(401, 'invalid_token', 'Invalid or expired token', {
  'www-authenticate': 'Bearer error="invalid_token"',
});

const insufficient = refused(403, 'insufficient_scope', 'Insufficient scope', {
  'www-authenticate': 'Bearer error="insufficient_scope"',
});

function asked(club: PartnerClub, target: string, request: Shown): Promise<Answer> {
  return verify(club, club.programme, target, request);
}

/** P-15: what the gateway puts in the place of the caller's own. */
const named = naming('SecondClub');

test('C-4 P-15: a member’s JWT passes where a member is asked for', async (t) => {
  const club = await openPartnerClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts, named));
  assert.deepEqual(await asked(club, 'member/retrieve?x', { token }), passed(memberFacts, named));
  assert.deepEqual(await asked(club, 'client', { token }), insufficient);
  const plain = { 'www-authenticate': 'Bearer realm="Second Club"' };
  const missing = refused(401, 'invalid_request', 'Missing header: authorization', plain);
  assert.deepEqual(await asked(club, 'member', {}), missing);
  const noKey = refused(401, 'invalid_client', 'Missing header: x api key', plain);
  assert.deepEqual(await asked(club, 'none', { token }), noKey);
  const badKey = refused(401, 'invalid_client', 'Invalid API key', plain);
  assert.deepEqual(await asked(club, 'none', { apiKey: 'unknown' }), badKey);
  const badFloor = refused(400, 'invalid_request', 'Invalid parameter: level');
  assert.deepEqual(await asked(club, 'member?level=AUTHN-LEVEL-12', { token }), badFloor);
});

test('P-15: a token for one purpose passes only where that is asked for', async (t) => {
  const club = await openPartnerClub(t);
  const reset = tokensIn(await redeem(club, await codeFor(club, { scope: 'reset_password' })));
  const ordinary = await tokensOfLogin(club);
  const [token, other] = [reset.access_token, ordinary.access_token];
  const expected = passed({ ...memberFacts, scope: 'reset_password' }, named);
  for (const target of ['member?scope=reset_password', 'member,scope=reset_password/api/x']) {
    assert.deepEqual(await asked(club, target, { token }), expected);
    assert.deepEqual(await asked(club, target, { token: other }), insufficient);
  }
  const elsewhere = [
    'member',
    'member?scope=retrieve_username',
    'member/api?scope=reset_password',
    'member/,scope=reset_password',
  ];
  for (const target of elsewhere) {
    assert.deepEqual(await asked(club, target, { token }), insufficient, target);
  }
});

test('HOSTILE 35: a refresh JWT is no access token, and the other way round', async (t) => {
  const club = await openPartnerClub(t);
  const tokens = await tokensOfLogin(club);
  assert.deepEqual(await asked(club, 'member', { token: tokens.refresh_token }), invalidToken);
  const answer = await refresh(club, tokens.access_token);
  assert.deepEqual(answer, refused(400, 'invalid_grant', 'Invalid refresh token'));
});

test('a revoked login is refused at once, though its signature is remembered as good', async (t) => {
  const club = await openPartnerClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const { family } = decodeJwt<{ family: FamilyId }>(token);
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts, named));
  await club.store.revokeFamily(club.programme, family, club.clock.now());
  assert.deepEqual(await asked(club, 'member', { token }), invalidToken);
});

test('a disabled client is refused at once, and so is a token past its time', async (t) => {
  const club = await openPartnerClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const setStatus = (status: 'active' | 'disabled') =>
    club.store.change('client', club.programme, 'Partner1' as ClientId, (c) => ({ ...c, status }));
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts, named));
  await setStatus('disabled');
  assert.deepEqual(await asked(club, 'member', { token }), invalidToken);
  await setStatus('active');
  club.clock.advance(1799);
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts, named));
  club.clock.advance(1);
  assert.deepEqual(await asked(club, 'member', { token }), invalidToken);
});

test('C-2 HOSTILE 33: nothing of one club passes at another', async (t) => {
  const jetway = await startJetway(t, {
    programmes: {
      'second-club': shippedProgramme('second-club'),
      'third-club': shippedProgramme('third-club'),
      'executive-club': shippedProgramme('executive-club', 'tokens: { access: { format: jwt } }'),
    },
  });
  const second = await joinClub(jetway, secondClub);
  const third = await joinClub(jetway, thirdClub);
  const { access_token: token } = await tokensOfLogin(second);
  const apiKey = await giveApiKey(jetway, 'second-club', 'Partner1');
  assert.equal((await asked(second, 'member', { token, apiKey })).status, 200);
  assert.deepEqual(await asked(third, 'member', { token }), invalidToken);
  assert.equal((await asked(third, 'none', { apiKey })).status, 401);
  assert.equal((await verify(jetway, 'executive-club', 'member', { token })).status, 401);
  assert.equal((await verify(jetway, 'executive-club', 'none', { apiKey })).status, 401);
});

test('HOSTILE 36: no forged JWT passes, whatever its header and claims say', async (t) => {
  const club = await openPartnerClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const forged = await forgeries(club, token);
  assert.ok(forged.size > 25);
  for (const [what, text] of forged) {
    assert.deepEqual(await asked(club, 'member', { token: text }), invalidToken, what);
  }
  // The good one still is, and none of them has spoiled what is remembered.
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts, named));
  for (const [what, text] of forged) {
    assert.deepEqual(await asked(club, 'member', { token: text }), invalidToken, what);
  }
  assert.deepEqual(club.events, []);
});

test('FAULTS 24: tokens of a key that signs no more pass, until it is no longer published', async (t) => {
  const club = await openPartnerClub(t, { over: 'tokens: { access: { lifetime: 2h } }' });
  const before = await tokensOfLogin(club);
  const [old] = await club.store.list('signing_key', club.programme);
  const rules = { algorithm: 'ES256', longestToken: milliseconds(7_200_000) } as const;
  const wait = milliseconds(0);
  const { store, keyring, clock } = club;
  await rotateKeys({ store, keyring }, { id: club.programme, rules }, { wait }, clock.now());
  await club.reloadKeys();
  const after = await tokensOfLogin(club);
  const kids = [before, after].map((one) => decodeProtectedHeader(one.access_token).kid);
  assert.notEqual(kids[0], kids[1]);
  assert.equal((await asked(club, 'member', { token: before.access_token })).status, 200);
  assert.equal((await asked(club, 'member', { token: after.access_token })).status, 200);
  // An emergency: the key is gone, and what it signed with it, however lately it was verified.
  await club.store.changeAll('signing_key', { programme: club.programme }, (keys) =>
    keys.filter(({ kid }) => kid !== old?.kid),
  );
  await club.reloadKeys();
  assert.deepEqual(await asked(club, 'member', { token: before.access_token }), invalidToken);
  assert.equal((await asked(club, 'member', { token: after.access_token })).status, 200);
});
