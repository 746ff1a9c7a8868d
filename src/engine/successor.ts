// Owns tokens that follow from the refresh token that was presented, so that a retry can be given them
// again without their being kept anywhere.

import { hash } from 'node:crypto';

import type { Instant } from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import type { TokenFamily } from '../oauth/grant.ts';
import { timedToken } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';

/** Opaque tokens of a refresh. */
export interface Successor {
  /** Random: whoever holds the presented token alone cannot tell what followed. */
  readonly nonce: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** No sealed answer begins with it. */
const mark = '=';

/**
 * The tokens that follow from the presented one and a nonce, fresh unless given. SHA-512 of the two is
 * 254 and more unguessable bits for each, as neither is to be had from the store, which keeps the
 * nonce and the presented token's digest: whoever reads it learns as little as from a sealed answer.
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

/** What has to be kept of such an answer, beside its login, for it to be given again. */
export function wordAnswer(nonce: string, tokens: TokenSet): string {
  const { tokenId, issuedAt, accessExpiresAt, refreshExpiresAt = '', scope } = tokens;
  const words = `${mark}${nonce} ${tokenId} ${issuedAt} ${accessExpiresAt} ${refreshExpiresAt}`;
  return scope === undefined ? words : `${words} ${scope}`;
}

const wording = /^=([\w-]{22}) (\S+) (\d+) (\d+) (\d*)(?: (.+))?$/s;

/** The answer that was worded; undefined for one that was sealed. */
export function answerAgain(
  presented: string,
  words: string,
  { member }: TokenFamily,
): TokenSet | undefined {
  if (!words.startsWith(mark)) return undefined;
  const [, nonce, tokenId, issued, accessEnd, refreshEnd, scope] = wording.exec(words) ?? [];
  if (nonce === undefined || tokenId === undefined) {
    throw new Error('the answer of a rotated refresh token is damaged');
  }
  const issuedAt = Number(issued) as Instant;
  const { accessToken, refreshToken } = successorOf(presented, issuedAt, nonce);
  return {
    grant: 'refresh_token',
    kind: 'member',
    subject: member.subject,
    accessToken,
    tokenId,
    issuedAt,
    accessExpiresAt: Number(accessEnd) as Instant,
    refreshToken,
    ...(refreshEnd === '' ? {} : { refreshExpiresAt: Number(refreshEnd) as Instant }),
    ...(scope === undefined ? {} : { scope }),
    ...(member.level === undefined ? {} : { level: member.level }),
    ...(member.membershipNumber === undefined ? {} : { membershipNumber: member.membershipNumber }),
  };
}
