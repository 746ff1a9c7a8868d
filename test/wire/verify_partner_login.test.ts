// Owns the verify endpoint of the partner-login clubs on the wire: JWTs, forged ones among them, and
// tokens for one purpose (P-15).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeProtectedHeader } from 'jose';

import { milliseconds } from '../../src/lib/clock.ts';
import { rotateKeys } from '../../src/server/keys/changes.ts';
import { passed, type Shown, verify } from '../support/gateway.ts';
import {
  memberFacts,
  naming,
  openPartnerClub,
  type PartnerClub,
  redeem,
  refused,
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

test('a JWT is refused once its time is over', async (t) => {
  const club = await openPartnerClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  club.clock.advance(1799);
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts, named));
  club.clock.advance(1);
  assert.deepEqual(await asked(club, 'member', { token }), invalidToken);
});

test('FAULTS 24: tokens of a key that signs no more pass, until it is no longer published', async (t) => {
  const club = await openPartnerClub(t, { over: 'tokens: { access: { lifetime: 2h } }' });
  const before = await tokensOfLogin(club);
  const [old] = await club.store.list('signing_key', club.programme);
  const rules = {
    kind: 'signing_key',
    algorithm: 'ES256',
    longestToken: milliseconds(7_200_000),
  } as const;
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
