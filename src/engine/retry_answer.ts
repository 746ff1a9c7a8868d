// Owns the answer that a retry of a refresh gets again: opaque tokens are derived anew from the
// presented token, any other answer is kept sealed under it.

import { hash } from 'node:crypto';

import type { Instant } from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import { seal, unseal } from '../lib/seal.ts';
import type { TokenFamily } from '../oauth/grant.ts';
import { timedToken } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';

/** Opaque tokens of a refresh, derived from the presented token. */
export interface Successor {
  /** Random, so that the presented token alone does not give its successors away. */
  readonly nonce: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The tokens derived from the presented one and a nonce, fresh unless given. SHA-512 of the two gives
 * each token more than 254 unguessable bits. The store keeps the nonce and the presented token's
 * digest, but neither token: its reader learns as little as from a sealed answer.
 */
export function successorOf(
  presented: string,
  now: Instant,
  nonce: string = randomKey(16),
): Successor {
  // A token of 256 random bits needs no slower derivation.
  const bits = hash('sha512', `jetway successor ${nonce} ${presented}`, 'base64url');
  return {
    nonce,
    accessToken: timedToken(now, bits.slice(0, 43)),
    refreshToken: timedToken(now, bits.slice(43)),
  };
}

/** What the store keeps of an answer for a retry; sealed unless its tokens are a successor. */
export function keepAnswer(presented: string, tokens: TokenSet, successor?: Successor): string {
  if (successor === undefined) {
    const values = sealedFields.map((name) => tokens[name] ?? null);
    return seal(answerKey(presented), JSON.stringify(values));
  }
  const { tokenId, issuedAt, accessExpiresAt, refreshExpiresAt = '', scope } = tokens;
  const words = `${mark}${successor.nonce} ${tokenId} ${issuedAt} ${accessExpiresAt} ${refreshExpiresAt}`;
  return scope === undefined ? words : `${words} ${scope}`;
}

/** The answer that was kept; throws where it is damaged or was kept for another token. */
export function readKeptAnswer(presented: string, kept: string, family: TokenFamily): TokenSet {
  return kept.startsWith(mark) ? deriveAgain(presented, kept, family) : openSealed(presented, kept);
}

/** No sealed answer begins with it. */
const mark = '=';
const derivedForm = /^=([\w-]{22}) (\S+) (\d+) (\d+) (\d*)(?: (.+))?$/s;

function deriveAgain(presented: string, kept: string, { member }: TokenFamily): TokenSet {
  const [, nonce, tokenId, issued, accessEnd, refreshEnd, scope] = derivedForm.exec(kept) ?? [];
  if (nonce === undefined || tokenId === undefined) throw damaged();
  const issuedAt = Number(issued) as Instant;
  const { accessToken, refreshToken } = successorOf(presented, issuedAt, nonce);
  return {
    ...refreshed,
    subject: member.subject,
    accessToken,
    tokenId,
    issuedAt,
    accessExpiresAt: Number(accessEnd) as Instant,
    refreshToken,
    refreshExpiresAt: refreshEnd === '' ? undefined : (Number(refreshEnd) as Instant),
    scope,
    level: member.level,
    membershipNumber: member.membershipNumber,
  };
}

/** By position and without names: most of what a refresh writes is the row that holds them. */
const sealedFields = [
  'subject',
  'accessToken',
  'tokenId',
  'issuedAt',
  'accessExpiresAt',
  'refreshToken',
  'refreshExpiresAt',
  'scope',
  'level',
  'membershipNumber',
] as const;

/** The same in every answer to a refresh, and so not kept. */
const refreshed = { grant: 'refresh_token', kind: 'member' } as const;

function openSealed(presented: string, sealed: string): TokenSet {
  const text = unseal(answerKey(presented), sealed);
  if (text === undefined) throw damaged();
  const values = JSON.parse(text) as readonly unknown[];
  const fields = sealedFields.map((name, index) => [name, values[index] ?? undefined]);
  return { ...refreshed, ...Object.fromEntries(fields) } as TokenSet;
}

function answerKey(presented: string): Uint8Array {
  // A token of 256 random bits needs no slower derivation.
  return hash('sha256', `jetway refresh answer ${presented}`, 'buffer');
}

function damaged(): Error {
  return new Error('the kept answer of a rotated refresh token is damaged');
}
