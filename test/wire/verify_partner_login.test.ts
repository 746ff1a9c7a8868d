// What a transcript (verify_partner_login.transcript) cannot say of the verify endpoint of the partner-login clubs:
// keys that sign no more, pairs of faults, and uses of keys (C-5, C-8, FAULTS 24).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeProtectedHeader } from 'jose';

import { milliseconds } from '../../src/lib/clock.ts';
import { rotateKeys } from '../../src/server/keys/changes.ts';
import { giveApiKey, type Shown, verify } from '../support/gateway.ts';
import {
  addPartner,
  naming,
  openPartnerClub,
  type PartnerClub,
  refused,
  tokensOfLogin,
} from '../support/partner_club.ts';
import type { Answer } from '../support/wire.ts';

const invalidToken = refused(401, 'invalid_token', 'Invalid or expired token', {
  'www-authenticate': 'Bearer error="invalid_token"',
});

const named = naming('SecondClub');

function asked(club: PartnerClub, target: string, request: Shown): Promise<Answer> {
  return verify(club, club.programme, target, request);
}

test('C-8: of any two faults of a shown request the earlier answers', async (t) => {
  const club = await openPartnerClub(t);
  const other = await addPartner(club, { id: 'Partner2' });
  const good = {
    target: 'member,key',
    token: (await tokensOfLogin(club)).access_token,
    apiKey: await giveApiKey(club, club.programme, club.client.id),
    ...named,
  };
  type Change = Readonly<Partial<Record<keyof typeof good, string>>>;
  const faults: readonly (readonly [Change, number, string])[] = [
    [{ apiKey: '' }, 401, 'invalid_client'],
    [{ token: '' }, 401, 'invalid_request'],
    [{ 'programme-identifier': 'ThirdClub' }, 400, 'invalid_request'],
    [{ apiKey: 'unknown' }, 401, 'invalid_client'],
    [{ token: 'unknown' }, 401, 'invalid_token'],
    [{ apiKey: await giveApiKey(club, club.programme, other.id) }, 401, 'invalid_client'],
    [{ 'business-context-identifier': 'Other' }, 401, 'access_denied'],
    [{ target: 'client,key' }, 403, 'insufficient_scope'],
  ];
  const answerTo = (...changes: readonly Change[]): Promise<Answer> => {
    const { target, ...shown } = Object.assign({}, good, ...changes) as typeof good;
    const { token, apiKey, ...headers } = shown;
    const sent = { ...(token && { token }), ...(apiKey && { apiKey }), headers };
    return asked(club, target, sent);
  };
  assert.equal((await answerTo()).status, 200);
  for (const [place, [change, status, error]] of faults.entries()) {
    const alone = await answerTo(change);
    const told = JSON.parse(alone.body) as { error: string };
    assert.deepEqual([alone.status, told.error], [status, error], JSON.stringify(change));
    for (const [later] of faults.slice(place + 1)) {
      if (Object.keys(later).some((key) => key in change)) continue;
      assert.deepEqual(await answerTo(later, change), alone, JSON.stringify([change, later]));
    }
  }
});

test('C-5: of all who hold a key its use is recorded', async (t) => {
  const club = await openPartnerClub(t);
  const apiKey = await giveApiKey(club, club.programme, 'Partner1', 'jw_shared-by-one-partner');
  await addPartner(club, { id: 'Partner2' });
  await giveApiKey(club, club.programme, 'Partner2', apiKey);
  assert.equal((await asked(club, 'none', { apiKey })).status, 200);
  for (const id of ['Partner1', 'Partner2'] as const) {
    const uses = await club.store.secretUses(club.programme, id as never);
    assert.ok(uses.has(club.keyring.secretDigest(apiKey)), id);
  }
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
