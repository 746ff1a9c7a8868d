// Owns the contract of access tokens, which the store does not keep: whether one stands, and revoking one.

import assert from 'node:assert/strict';

import type { TokenName } from '../../../src/store/grants.ts';
import { aTokenOfItsOwn, at, club, otherClub, sweepAll } from '../fixtures.ts';
import { eachStore } from './stores.ts';

/** A token of a login, good until second 60. */
const named = (tokenId: string): TokenName => ({ tokenId, expiresAt: at(60) });

eachStore('access tokens', (check) => {
  check('RFC 7009 2.1: a revoked token is dead at once, no other is', async (o) => {
    const own = aTokenOfItsOwn(await o.store.era());
    const operator = await o.elsewhere();
    await operator.revoke(otherClub, own, at(1));
    assert.equal(await o.store.isStanding(club, own), true);
    for (const token of [own, named('member’s')]) {
      assert.equal(await o.store.isStanding(club, token), true);
      await operator.revoke(club, token, at(1));
      await operator.revoke(club, token, at(2));
      const later = await o.elsewhere();
      assert.equal(await o.store.isStanding(club, token), false);
      assert.equal(await later.isStanding(club, token), false);
      assert.equal(await later.isStanding(club, { ...token, tokenId: 'other' }), true);
    }
    const store = await o.reopened();
    assert.equal(await store.isStanding(club, own), false);
    assert.equal(await store.isStanding(otherClub, named('member’s')), true);
  });

  check('DESIGN: a revoked token is remembered until it expires', async ({ store }) => {
    const tokens = Array.from({ length: 20 }, (_, n) => named(`token ${n}`));
    for (const token of tokens) await store.revoke(club, token, at(2));
    // One that is over needs no memory.
    await store.revoke(club, { tokenId: 'late', expiresAt: at(2) }, at(2));
    assert.equal(await sweepAll(store, at(59.999), 7), 0);
    for (const token of tokens) assert.equal(await store.isStanding(club, token), false);
    assert.equal(await sweepAll(store, at(60), 7), 20);
  });
});
