// Owns the contract of access tokens.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { anAccessToken, aPartnerToken, inParallel, otherClub } from './fixtures.ts';
import { findAccess } from './login.ts';
import type { StoreTest } from './with_store.ts';

export function accessTokenTests(check: StoreTest): void {
  describe('access tokens', () => {
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

    check('DESIGN: what was answered is there after a restart', async (o) => {
      await inParallel(300, (n) => o.store.saveAccessToken(aPartnerToken(`token ${n}`)));
      const store = await o.reopened();
      const found = await inParallel(300, (n) => findAccess(store, `token ${n}`, 0));
      assert.equal(found.filter((token) => token === undefined).length, 0);
    });
  });
}
