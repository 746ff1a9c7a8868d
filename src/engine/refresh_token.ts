// Owns the refresh_token grant (RFC 6749 6): rotation, retries and the answer to reuse.

import { after } from '../lib/clock.ts';
import { Refusal } from '../oauth/failure.ts';
import type { RefreshTokenState, TokenFamily, TokenKey } from '../oauth/grant.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { Authorization, GrantRequest, Issued, RepeatedAnswer } from './authorization.ts';
import { openAnswer, sealAnswer } from './sealed_answer.ts';
import type { Service } from './service.ts';
import { answerAgain, type Successor, successorOf, wordAnswer } from './successor.ts';

/**
 * A refresh token must be this client's and good still; its member must still be active. It
 * rotates at every use. Inside the grace window a retry gets the same answer again; later reuse
 * revokes the family (G-19, G-23, RFC 9700 4.14.2).
 */
export async function authorizeByRefreshToken(
  request: GrantRequest,
): Promise<Authorization | RepeatedAnswer> {
  const { service, client, inputs, scope, now } = request;
  const { programme, store } = service;
  const presented = inputs.get('refresh_token') ?? '';
  const key = tokenKey(presented);
  const state = await store.findRefreshToken(programme.id, key, now);
  if (state === undefined || state.revoked || state.family.client !== client.id) {
    throw new Refusal('invalid_refresh_token');
  }
  const { family } = state;
  const answer = state.rotated ? await keptAnswer(request, state) : undefined;
  const narrowed = programme.scope.narrow(scope, family.scope);
  if (!(await service.directory.isActive(family.member.subject))) {
    await store.revokeFamily(programme.id, family.id, now);
    throw new Refusal('invalid_refresh_token', { detail: 'the member is no longer active' });
  }
  if (answer !== undefined) return { repeated: answerOf(presented, answer, family) };
  const successor = followsFrom(service) ? successorOf(presented, now) : undefined;
  return {
    grant: 'refresh_token',
    kind: 'member',
    subject: family.member.subject,
    scope: narrowed,
    family,
    withRefreshToken: true,
    ...(successor === undefined ? {} : { successor }),
    settle: (issued) => rotate(request, { presented, key, family, successor }, issued),
  };
}

/** Whether tokens can follow from the one presented; a signature of our own is never the same twice. */
function followsFrom({ accessTokens, refreshTokens }: Service): boolean {
  return accessTokens.opaque && refreshTokens.opaque;
}

function answerOf(presented: string, kept: string, family: TokenFamily): TokenSet {
  return answerAgain(presented, kept, family) ?? openAnswer(presented, kept);
}

/** The answer a retry may have again; without one the use is reuse, and the family is revoked. */
async function keptAnswer(
  { service, now }: GrantRequest,
  state: RefreshTokenState,
): Promise<string> {
  const inTime = state.retryUntil !== undefined && now <= state.retryUntil;
  if (state.keptAnswer !== undefined && inTime) return state.keptAnswer;
  await service.store.revokeFamily(service.programme.id, state.family.id, now);
  throw new Refusal('invalid_refresh_token', { detail: 'reused: its family is revoked' });
}

interface Presented {
  readonly presented: string;
  readonly key: TokenKey;
  readonly family: TokenFamily;
  readonly successor: Successor | undefined;
}

async function rotate(
  { service, client, now }: GrantRequest,
  { presented, key, family, successor }: Presented,
  { tokens, access, refresh }: Issued,
): Promise<TokenSet> {
  if (refresh === undefined) throw new Error('a rotation needs a successor');
  const rotated = await service.store.rotateRefreshToken({
    programme: service.programme.id,
    client: client.id,
    key,
    successor: refresh,
    ...(access === undefined ? {} : { access }),
    keptAnswer:
      successor === undefined ? sealAnswer(presented, tokens) : wordAnswer(successor.nonce, tokens),
    retryUntil: after(now, service.programme.refresh.grace),
    now,
  });
  if (rotated.outcome === 'rotated') return tokens;
  if (rotated.outcome === 'retried') return answerOf(presented, rotated.keptAnswer, family);
  throw new Refusal('invalid_refresh_token', { detail: rotated.outcome });
}
