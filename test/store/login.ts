// Owns a login to test with, short questions to a store about it, and refreshing it as a server does.

import assert from 'node:assert/strict';

import type { Instant } from '../../src/lib/clock.ts';
import type { Answer, LoginState } from '../../src/oauth/grant.ts';
import type { Store } from '../../src/store/contract.ts';
import type { FoundCode, NewLogin } from '../../src/store/grants.ts';
import {
  judgeRefresh,
  type PresentedRefresh,
  type RefreshVerdict,
} from '../../src/store/judgement.ts';
import { aCode, aLogin, anAnswer, at, club, key, partner, successorOf } from './fixtures.ts';

/** The login of the code `code`, both begun at second 0. */
export async function login(store: Store, over: Partial<NewLogin> = {}): Promise<void> {
  await store.issueCode(aCode());
  assert.deepEqual(await store.spendCode(club, partner, key('code'), aLogin(over), at(0)), {
    outcome: 'spent',
  });
}

export async function findCode(
  store: Store,
  name: string,
  seconds: number,
  programme = club,
): Promise<Omit<FoundCode, 'place'> | undefined> {
  const found = await store.findCode(programme, key(name), at(seconds));
  if (found?.spentFor !== undefined) return found;
  return found && { code: found.code };
}

/** The login of that place, the one of `login` if left out. */
export async function findLogin(
  store: Store,
  { programme, place } = aLogin(),
): Promise<Awaited<ReturnType<Store['findLogin']>>> {
  return store.findLogin(programme, place);
}

/** Whether the login is revoked; undefined if it is unknown. */
export async function isRevoked(store: Store, of = aLogin()): Promise<boolean | undefined> {
  return (await findLogin(store, of))?.revoked;
}

/** The refresh token of an answer, as its client presents it. */
export function tokenOf({ generation, refreshDigest }: Answer): PresentedRefresh {
  return {
    client: partner,
    generation,
    loginDigest: aLogin().loginDigest,
    refreshDigest,
    successorDigest: ({ nonce }) => successorOf(refreshDigest, nonce),
  };
}

export interface Refreshed {
  readonly outcome: RefreshVerdict;
  /** The login as it is answered from, where it is. */
  readonly state?: LoginState;
}

/** Presents the refresh token of `held`; a new answer has its nonce by `name`. */
export async function refresh(
  store: Store,
  held: NewLogin | LoginState,
  name: string,
  now: Instant = at(1),
): Promise<Refreshed> {
  const { programme, place } = held;
  for (;;) {
    const state = await store.findLogin(programme, place);
    const outcome = judgeRefresh(state, tokenOf(held), now);
    if (outcome === 'reuse') await store.revoke(programme, { place }, now);
    if (state === undefined || (outcome !== 'rotate' && outcome !== 'retry')) return { outcome };
    if (outcome === 'retry') return { outcome, state };
    const answer = anAnswer(state, name, { answeredAt: now });
    if (await store.advanceLogin(programme, place, state, answer)) {
      return { outcome, state: { ...state, ...answer } };
    }
  }
}
