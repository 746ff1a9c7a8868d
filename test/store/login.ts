// Owns a login to test refresh tokens with, and short questions to a store about it: names of tokens
// as text, times in seconds after `at(0)`, the first programme.

import assert from 'node:assert/strict';

import type { Store } from '../../src/store/contract.ts';
import type { RotateOutcome, Rotation } from '../../src/store/grants.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aRefreshToken,
  aRotation,
  at,
  club,
  key,
  partner,
} from './fixtures.ts';

type Found<Verb extends 'findAccessToken' | 'findCode' | 'findRefreshToken'> = ReturnType<
  Store[Verb]
>;

export function findAccess(
  store: Store,
  name: string,
  seconds: number,
  programme = club,
): Found<'findAccessToken'> {
  return store.findAccessToken(programme, key(name), at(seconds));
}

export function findRefresh(
  store: Store,
  name: string,
  seconds: number,
  programme = club,
): Found<'findRefreshToken'> {
  return store.findRefreshToken(programme, key(name), at(seconds));
}

export function findCode(
  store: Store,
  name: string,
  seconds: number,
  programme = club,
): Found<'findCode'> {
  return store.findCode(programme, key(name), at(seconds));
}

/** Rotates at that second; a retry is possible until second 11. */
export function rotate(
  store: Store,
  from: string,
  to: string,
  seconds = 1,
  over: Partial<Rotation> = {},
): Promise<RotateOutcome> {
  return store.rotateRefreshToken(aRotation(from, to, { now: at(seconds), ...over }));
}

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
  return (await findRefresh(store, 'r1', 1))?.revoked;
}
