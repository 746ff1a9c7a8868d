// Owns the answer that a rotated refresh token may have again: its wording in the store, and its seal.

import { hash } from 'node:crypto';

import { seal, unseal } from '../lib/seal.ts';
import type { TokenSet } from '../oauth/token_set.ts';

/**
 * Without names, and without what a refresh always is: the rows that hold it are most of what a
 * refresh writes.
 */
type Wording = readonly [
  subject: string,
  accessToken: string,
  tokenId: string,
  issuedAt: number,
  accessExpiresAt: number,
  refreshToken: string | null,
  refreshExpiresAt: number | null,
  scope: string | null,
  level: string | null,
  membershipNumber: string | null,
];

/** Seals an answer under the token that brought it: who does not hold that cannot read it. */
export function sealAnswer(presented: string, tokens: TokenSet): string {
  const wording: Wording = [
    tokens.subject,
    tokens.accessToken,
    tokens.tokenId,
    tokens.issuedAt,
    tokens.accessExpiresAt,
    tokens.refreshToken ?? null,
    tokens.refreshExpiresAt ?? null,
    tokens.scope ?? null,
    tokens.level ?? null,
    tokens.membershipNumber ?? null,
  ];
  return seal(answerKey(presented), JSON.stringify(wording));
}

/** The answer that was sealed. */
export function openAnswer(presented: string, sealed: string): TokenSet {
  const text = unseal(answerKey(presented), sealed);
  if (text === undefined) {
    throw new Error('the sealed answer of a rotated refresh token is damaged');
  }
  const answer = JSON.parse(text) as Wording | TokenSet;
  // Of the Jetway before, which may have answered seconds ago.
  return isWording(answer) ? tokensOf(answer) : answer;
}

function isWording(answer: Wording | TokenSet): answer is Wording {
  return Array.isArray(answer);
}

function tokensOf(wording: Wording): TokenSet {
  const [subject, accessToken, tokenId, issuedAt, accessExpiresAt] = wording;
  const [, , , , , refreshToken, refreshExpiresAt, scope, level, membershipNumber] = wording;
  const optional = { refreshToken, refreshExpiresAt, scope, level, membershipNumber };
  const present = Object.entries(optional).filter(([, value]) => value !== null);
  return {
    grant: 'refresh_token',
    kind: 'member',
    subject,
    accessToken,
    tokenId,
    issuedAt,
    accessExpiresAt,
    ...Object.fromEntries(present),
  } as TokenSet;
}

function answerKey(presented: string): Uint8Array {
  // A token of 256 random bits needs no slower derivation.
  return hash('sha256', `jetway refresh answer ${presented}`, 'buffer');
}
