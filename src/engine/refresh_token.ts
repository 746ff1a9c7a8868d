// Owns the refresh_token grant (RFC 6749 6): rotation, retries and the answer to reuse.

import { after } from '../lib/clock.ts';
import { Refusal } from '../oauth/failure.ts';
import type { RefreshTokenState, TokenFamily, TokenKey } from '../oauth/grant.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { Authorization, GrantRequest, Issued, RepeatedAnswer } from './authorization.ts';
import { keepAnswer, readKeptAnswer, type Successor, successorOf } from './retry_answer.ts';

/**
 * A refresh token must belong to this client and be live; its member must still be active. It
 * rotates at every use. Inside the grace window a retry gets the same answer again; later reuse
 * revokes the family (G-19, G-23, RFC 9700 4.14.2).
 */
export async function authorizeByRefreshToken(
  request: GrantRequest,
): Promise<Authorization | RepeatedAnswer> {
  const { service, client, inputs, scope, now } = request;
  const { programme, store, directory, accessTokens, refreshTokens } = service;
  const presented = inputs.get('refresh_token') ?? '';
  const key = tokenKey(presented);
  const state = await store.findRefreshToken(programme.id, key, now);
  if (state === undefined || state.revoked || state.family.client !== client.id) {
    throw new Refusal('invalid_refresh_token');
  }
  const { family } = state;
  const kept = state.rotated ? await answerForRetry(request, state) : undefined;
  const narrowed = programme.scope.narrow(scope, family.scope);
  if (!(await directory.isActive(family.member.subject))) {
    await store.revokeFamily(programme.id, family.id, now);
    throw new Refusal('invalid_refresh_token', { detail: 'the member is no longer active' });
  }
  if (kept !== undefined) return { repeated: readKeptAnswer(presented, kept, family) };
  // JWTs cannot be derived again: two signatures over the same claims differ.
  const isDerived = accessTokens.opaque && refreshTokens.opaque;
  const successor = isDerived ? successorOf(presented, now) : undefined;
  return {
    grant: 'refresh_token',
    kind: 'member',
    subject: family.member.subject,
    scope: narrowed,
    family,
    withRefreshToken: true,
    successor,
    persist: (issued) => rotate(request, { presented, key, family, successor }, issued),
  };
}

/** The answer that a retry in time gets again; any other use is reuse, which revokes the family. */
async function answerForRetry(
  { service, now }: GrantRequest,
  { family, keptAnswer, retryUntil }: RefreshTokenState,
): Promise<string> {
  if (keptAnswer !== undefined && retryUntil !== undefined && now <= retryUntil) return keptAnswer;
  await service.store.revokeFamily(service.programme.id, family.id, now);
  throw new Refusal('invalid_refresh_token', { detail: 'reused: its family is revoked' });
}

interface Rotation {
  readonly presented: string;
  readonly key: TokenKey;
  readonly family: TokenFamily;
  readonly successor: Successor | undefined;
}

async function rotate(
  { service, client, now }: GrantRequest,
  { presented, key, family, successor }: Rotation,
  { tokens, refresh, ...access }: Issued,
): Promise<TokenSet> {
  if (refresh === undefined) throw new Error('a rotation needs a successor');
  const rotated = await service.store.rotateRefreshToken({
    programme: service.programme.id,
    client: client.id,
    key,
    successor: refresh,
    ...access,
    keptAnswer: keepAnswer(presented, tokens, successor),
    retryUntil: after(now, service.programme.refresh.grace),
    now,
  });
  if (rotated.outcome === 'rotated') return tokens;
  if (rotated.outcome === 'retried') return readKeptAnswer(presented, rotated.keptAnswer, family);
  throw new Refusal('invalid_refresh_token', { detail: rotated.outcome });
}
