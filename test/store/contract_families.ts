// Owns the contract of token families: one lineage, and what a revocation reaches.

import assert from 'node:assert/strict';

import type { Store } from '../../src/store/contract.ts';
import {
  aFamily,
  anAccessToken,
  at,
  club,
  familyId,
  inParallel,
  otherClub,
  tally,
} from './fixtures.ts';
import { findAccess, findRefresh, isRevoked, login, retried, rotate } from './login.ts';
import type { StoreTest } from './with_store.ts';

export function familyTests(check: StoreTest): void {
  raceTests(check);
  revocationTests(check);
}

function raceTests(check: StoreTest): void {
  const race = async (stores: readonly Store[]): Promise<void> => {
    const store = stores[0]!;
    await login(store);
    const results = await inParallel(20, (n) => rotate(stores[n % stores.length]!, 'r1', `s${n}`));
    assert.deepEqual(tally(results), { rotated: 1, retried: 19 });
    const winner = `s${results.findIndex(({ outcome }) => outcome === 'rotated')}`;
    for (const result of results) {
      if (result.outcome !== 'rotated') assert.deepEqual(result, retried(winner));
    }
    const found = await inParallel(20, (n) => findRefresh(store, `s${n}`, 1));
    assert.deepEqual(
      found.flatMap((state) => state?.key ?? []),
      [winner],
    );
    assert.equal(await isRevoked(store), false);
  };

  check('HOSTILE 29: 20 simultaneous rotations make one lineage', (o) => race([o.store]));

  check('HOSTILE 29: rotations through two stores make one lineage', async (o) => {
    if (o.another !== undefined) await race([o.store, await o.another()]);
  });
}

function revocationTests(check: StoreTest): void {
  check('C-4: a family tells who logged in, whether it still stands or not', async ({ store }) => {
    await login(store);
    assert.deepEqual(await store.findFamily(club, familyId('family')), aFamily());
    await store.revokeFamily(club, familyId('family'), at(1));
    assert.deepEqual(await store.findFamily(club, familyId('family')), aFamily());
    assert.equal(await store.findFamily(otherClub, familyId('family')), undefined);
    assert.equal(await store.findFamily(club, familyId('another')), undefined);
  });

  check('HOSTILE 29: a late successor of a revoked family is unusable', async ({ store }) => {
    await login(store);
    await Promise.all([
      rotate(store, 'r1', 'r2'),
      store.revokeFamily(club, familyId('family'), at(1)),
      rotate(store, 'r2', 'r3'),
      store.saveAccessToken(anAccessToken('late')),
    ]);
    assert.equal((await findRefresh(store, 'r2', 1))?.revoked, true);
    assert.equal(await findRefresh(store, 'r3', 1), undefined);
    assert.equal(await findAccess(store, 'late', 1), undefined);
    assert.deepEqual(await rotate(store, 'r2', 'r4'), { outcome: 'unknown' });
  });

  check('RFC 7009: revoking is of one family in one programme, and lasts', async (o) => {
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
