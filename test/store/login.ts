// Owns a login to test refresh tokens with, and what is asked of it time and again.

import assert from 'node:assert/strict';

import type { Store } from '../../src/store/contract.ts';
import type { RotateOutcome } from '../../src/store/grants.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aRefreshToken,
  at,
  club,
  key,
  partner,
} from './fixtures.ts';

/** What a retry gets while the successor is `to`. */
export const retried = (to: string): RotateOutcome => ({
  outcome: 'retried',
  keptAnswer: `answer with ${to}`,
});

/** A login: `family` with the access token `access` and the refresh token `r1`. */
export async function login(store: Store, over: Parameters<typeof aFamily>[0] = {}): Promise<void> {
  const tokens = { access: anAccessToken('access'), refresh: aRefreshToken('r1') };
  await store.issueCode(aCode());
  const bought = { family: aFamily(over), ...tokens };
  assert.deepEqual(await store.spendCode(club, partner, key('code'), bought, at(0)), {
    outcome: 'spent',
  });
}

/** Whether the login's family is revoked, as `r1` shows it. */
export async function isRevoked(store: Store): Promise<boolean | undefined> {
  return (await store.findRefreshToken(club, key('r1'), at(1)))?.revoked;
}
