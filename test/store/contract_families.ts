// Owns the contract of token families: one lineage, and what a revocation reaches.

import assert from 'node:assert/strict';
import { describe } from 'node:test';

import type { Store } from '../../src/store/contract.ts';
import {
  aFamily,
  anAccessToken,
  aRotation,
  at,
  club,
  familyId,
  inParallel,
  key,
  otherClub,
  tally,
} from './fixtures.ts';
import { isRevoked, login, retried } from './login.ts';
import { withStore, type Open } from './with_store.ts';

export function familyTests(open: Open): void {
  describe('families', () => {
    raceTests(open);
    revocationTests(open);
  });
}

function raceTests(open: Open): void {
  const race = async (stores: readonly Store[]): Promise<void> => {
    const store = stores[0]!;
    await login(store);
    const results = await inParallel(20, (n) =>
      stores[n % stores.length]!.rotateRefreshToken(aRotation('r1', `s${n}`)),
    );
    assert.deepEqual(tally(results), { rotated: 1, retried: 19 });
    const winner = `s${results.findIndex(({ outcome }) => outcome === 'rotated')}`;
    for (const result of results) {
      if (result.outcome !== 'rotated') assert.deepEqual(result, retried(winner));
    }
    const found = await inParallel(20, (n) => store.findRefreshToken(club, key(`s${n}`), at(1)));
    assert.deepEqual(
      found.flatMap((state) => state?.key ?? []),
      [winner],
    );
    assert.equal(await isRevoked(store), false);
  };

  withStore(open, 'HOSTILE 29: 20 simultaneous rotations make one lineage', (o) => race([o.store]));

  withStore(open, 'HOSTILE 29: nor is there a second lineage through a second store', async (o) => {
    if (o.another !== undefined) await race([o.store, await o.another()]);
  });
}

function revocationTests(open: Open): void {
  withStore(
    open,
    'C-4: a family tells who logged in, whether it still stands or not',
    async (o) => {
      const { store } = o;
      await login(store);
      assert.deepEqual(await store.findFamily(club, familyId('family')), aFamily());
      await store.revokeFamily(club, familyId('family'), at(1));
      assert.deepEqual(await store.findFamily(club, familyId('family')), aFamily());
      assert.equal(await store.findFamily(otherClub, familyId('family')), undefined);
      assert.equal(await store.findFamily(club, familyId('another')), undefined);
    },
  );

  withStore(open, 'HOSTILE 29: a late successor of a revoked family is unusable', async (o) => {
    const { store } = o;
    await login(store);
    await Promise.all([
      store.rotateRefreshToken(aRotation('r1', 'r2')),
      store.revokeFamily(club, familyId('family'), at(1)),
      store.rotateRefreshToken(aRotation('r2', 'r3')),
      store.saveAccessToken(anAccessToken('late')),
    ]);
    assert.equal((await store.findRefreshToken(club, key('r2'), at(1)))?.revoked, true);
    assert.equal(await store.findRefreshToken(club, key('r3'), at(1)), undefined);
    assert.equal(await store.findAccessToken(club, key('late'), at(1)), undefined);
    const next = aRotation('r2', 'r4');
    assert.deepEqual(await store.rotateRefreshToken(next), { outcome: 'unknown' });
  });

  withStore(open, 'RFC 7009: revoking is of one family in one programme, and lasts', async (o) => {
    const { store } = o;
    await login(store);
    await store.revokeFamily(otherClub, familyId('family'), at(1));
    await store.revokeFamily(club, familyId('another'), at(1));
    assert.equal(await isRevoked(store), false);
    await store.revokeFamily(club, familyId('family'), at(1));
    await store.revokeFamily(club, familyId('family'), at(2));
    assert.equal(await isRevoked(store), true);
    if (o.reopen) assert.equal(await isRevoked(await o.reopen()), true);
  });
}
