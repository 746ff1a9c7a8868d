// Owns the contract of access tokens, of revoking one of them, and of families started without a code.

import assert from 'node:assert/strict';

import {
  aFamily,
  anAccessToken,
  aPartnerToken,
  aRefreshToken,
  at,
  club,
  familyId,
  inParallel,
  key,
  otherClub,
  partner,
} from './fixtures.ts';
import { findAccess, findRefresh, login, rotate } from './login.ts';
import type { StoreTest } from './with_store.ts';

export function accessTokenTests(check: StoreTest): void {
  check('G-11: a partner token is found until it expires', async ({ store }) => {
    const token = aPartnerToken('partner');
    await store.saveAccessToken(token);
    assert.deepEqual(await findAccess(store, 'partner', 1799.999), token);
    assert.equal(await findAccess(store, 'partner', 1800), undefined);
    assert.equal(await findAccess(store, 'partne', 0), undefined);
  });

  check('C-2: a token of one programme is worth nothing on another', async ({ store }) => {
    await store.saveAccessToken(aPartnerToken('partner'));
    assert.equal(await findAccess(store, 'partner', 0, otherClub), undefined);
    const other = aPartnerToken('partner', { programme: otherClub, scope: 'other' });
    await store.saveAccessToken(other);
    assert.deepEqual(await findAccess(store, 'partner', 0, otherClub), other);
    assert.deepEqual(await findAccess(store, 'partner', 0), aPartnerToken('partner'));
  });

  check('HOSTILE 29: a token of an unknown family is worth nothing', async ({ store }) => {
    await store.saveAccessToken(anAccessToken('orphan'));
    assert.equal(await findAccess(store, 'orphan', 0), undefined);
  });

  check('DESIGN: every answered token is there after a restart', async (o) => {
    await inParallel(300, (n) => o.store.saveAccessToken(aPartnerToken(`token ${n}`)));
    const store = await o.reopened();
    const found = await inParallel(300, (n) => findAccess(store, `token ${n}`, 0));
    assert.equal(found.filter((token) => token === undefined).length, 0);
  });
}

export function familyStartTests(check: StoreTest): void {
  check('RFC 6749 4.3: family and tokens are there, and go on as others do', async (o) => {
    const access = anAccessToken('access');
    const issue = { family: aFamily(), access, refresh: aRefreshToken('r1') };
    await o.store.startFamily(issue);
    const store = await o.reopened();
    assert.deepEqual(await findAccess(store, 'access', 1), access);
    assert.deepEqual(await findRefresh(store, 'r1', 1), {
      ...issue.refresh,
      family: issue.family,
      revoked: false,
      rotated: false,
    });
    assert.deepEqual(await rotate(store, 'r1', 'r2'), {
      outcome: 'rotated',
    });
    await store.revokeFamily(club, aFamily().id, at(2));
    assert.equal(await findAccess(store, 'access', 3), undefined);
  });

  check('FAULTS 2: a family starts with all of its tokens or not at all', async ({ store }) => {
    await store.saveAccessToken(aPartnerToken('taken'));
    const access = anAccessToken('taken');
    const issue = { family: aFamily(), access, refresh: aRefreshToken('r1') };
    await assert.rejects(store.startFamily(issue));
    assert.equal(await findRefresh(store, 'r1', 1), undefined);
    await store.startFamily({ family: aFamily() });
    const standing = { client: partner, subject: 'subject-1', issuedAt: at(1) };
    assert.equal(await store.isStanding(club, { ...standing, family: aFamily().id }), true);
    await assert.rejects(store.startFamily({ family: aFamily() }));
  });
}

export function singleTokenTests(check: StoreTest): void {
  check('RFC 7009 2.1: the revoked opaque token is dead at once, no other is', async (o) => {
    await login(o.store);
    await o.store.saveAccessToken(aPartnerToken('partner'));
    const operator = await o.elsewhere();
    await operator.revokeToken(otherClub, { key: key('partner') }, at(1));
    await operator.revokeToken(club, { key: key('nobody’s') }, at(1));
    assert.ok(await findAccess(o.store, 'partner', 1));
    await operator.revokeToken(club, { key: key('partner') }, at(1));
    await operator.revokeToken(club, { key: key('partner') }, at(2));
    const store = await o.reopened();
    assert.equal(await findAccess(store, 'partner', 1), undefined);
    assert.ok(await findAccess(store, 'access', 1));
  });

  check('RFC 7009 2.1: a revoked JWT is dead by its identifier', async (o) => {
    await login(o.store);
    const operator = await o.elsewhere();
    const token = { client: partner, subject: 'subject-1', issuedAt: at(1), tokenId: 'jti-1' };
    const ofFamily = { ...token, family: familyId('family') };
    assert.equal(await o.store.isStanding(club, token), true);
    await operator.revokeToken(club, { tokenId: 'jti-1', expiresAt: at(60) }, at(2));
    await operator.revokeToken(club, { tokenId: 'jti-1', expiresAt: at(60) }, at(3));
    const store = await o.reopened();
    assert.equal(await store.isStanding(club, token), false);
    assert.equal(await store.isStanding(club, ofFamily), false);
    assert.equal(await store.isStanding(club, { ...ofFamily, tokenId: 'jti-2' }), true);
    assert.equal(await store.isStanding(otherClub, token), true);
  });

  check('DESIGN: a revoked JWT is remembered until it expires', async ({ store }) => {
    const token = { client: partner, subject: 'subject-1', issuedAt: at(1) };
    const names = Array.from({ length: 20 }, (_, n) => `jti-${n}`);
    for (const tokenId of names) {
      await store.revokeToken(club, { tokenId, expiresAt: at(60) }, at(2));
    }
    // One that is over needs no memory.
    await store.revokeToken(club, { tokenId: 'late', expiresAt: at(2) }, at(2));
    let swept = 0;
    for (let n = 0; n < 40; n += 1) swept += await store.sweep(at(59.999), 7);
    assert.equal(swept, 0);
    for (const tokenId of names) {
      assert.equal(await store.isStanding(club, { ...token, tokenId }), false);
    }
    for (let n = 0; n < 40; n += 1) swept += await store.sweep(at(60), 7);
    assert.equal(swept, 20);
  });
}
