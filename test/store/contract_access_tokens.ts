// Owns the contract of access tokens.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { anAccessToken, aPartnerToken, at, club, inParallel, key, otherClub } from './fixtures.ts';
import { withStore, type Open } from './with_store.ts';

export function accessTokenTests(open: Open): void {
  describe('access tokens', () => {
    withStore(open, 'G-11: a partner token is found until it expires', async ({ store }) => {
      const token = aPartnerToken('partner');
      await store.saveAccessToken(token);
      assert.deepEqual(await store.findAccessToken(club, key('partner'), at(1799.999)), token);
      assert.equal(await store.findAccessToken(club, key('partner'), at(1800)), undefined);
      assert.equal(await store.findAccessToken(club, key('partne'), at(0)), undefined);
    });

    withStore(open, 'C-2: a token of one programme is worth nothing on another', async (o) => {
      const { store } = o;
      await store.saveAccessToken(aPartnerToken('partner'));
      assert.equal(await store.findAccessToken(otherClub, key('partner'), at(0)), undefined);
      const other = aPartnerToken('partner', { programme: otherClub, scope: 'other' });
      await store.saveAccessToken(other);
      assert.deepEqual(await store.findAccessToken(otherClub, key('partner'), at(0)), other);
      const first = await store.findAccessToken(club, key('partner'), at(0));
      assert.deepEqual(first, aPartnerToken('partner'));
    });

    withStore(open, 'HOSTILE 29: a token of an unknown family is worth nothing', async (o) => {
      const { store } = o;
      await store.saveAccessToken(anAccessToken('orphan'));
      assert.equal(await store.findAccessToken(club, key('orphan'), at(0)), undefined);
    });

    withStore(open, 'DESIGN: what was answered is there after a restart', async (o) => {
      await inParallel(300, (n) => o.store.saveAccessToken(aPartnerToken(`token ${n}`)));
      const store = o.reopen ? await o.reopen() : o.store;
      const found = await inParallel(300, (n) =>
        store.findAccessToken(club, key(`token ${n}`), at(0)),
      );
      assert.equal(found.filter((token) => token === undefined).length, 0);
    });
  });
}
