// Owns the identifiers of tokens (`jti`), in both forms.

import { hash, randomUUID } from 'node:crypto';

import type { Instant } from '../lib/clock.ts';
import type { Answer } from '../oauth/grant.ts';
import { timesBegin } from '../oauth/place.ts';

export type TokenIdForm = 'uuid' | 'number';

/** Makes the identifiers of one programme's tokens. */
export interface TokenIds {
  /** The number that the tokens of one answer are named by; of UUIDs it says the form alone. */
  readonly draw: (now: Instant) => number;
  /** The same for the same answer, so that a retry is told the same identifiers. */
  readonly access: (answer: Pick<Answer, 'tokenNumber' | 'nonce'>) => string;
  readonly refresh: (answer: Pick<Answer, 'tokenNumber' | 'nonce'>) => string;
  /** The client's token beside the member's. */
  readonly beside: (answer: Pick<Answer, 'tokenNumber' | 'nonce'>) => string;
  /** The identifier of a client's own token, which no answer is kept of. */
  readonly own: (now: Instant) => string;
  /** The time of the last number, which is ahead where many were drawn. */
  readonly last: { tick: number };
}

/** Milliseconds since `timesBegin` take 41 bits until 2089; two more count within a millisecond. */
const perMillisecond = 4;
/** Ten of the 53 bits of a number: the process that made it. */
const nodes = 1024;

/**
 * Whether the refresh JWT of an answer has the audience of refresh tokens. Its row says so by the time in
 * the number, which is odd. Former versions drew even times, or 0 beside UUIDs, and told the issuer as
 * `aud`: a retry of such an answer is told the same claims. They leave the number as it is.
 */
export function hasRefreshAudience({ tokenNumber }: Pick<Answer, 'tokenNumber'>): boolean {
  return Math.floor(tokenNumber / nodes) % 2 === 1;
}

/**
 * Numbers lie between 1 and 2^53-1 (P-7), so that JSON readers keep all digits: time first, then the
 * process's number among those that share its store. The third answer of a millisecond uses the next
 * millisecond: each has two numbers, the first of which is of an odd time. An answer with a client's
 * token beside the member's takes four numbers, and the client's token has a smaller one than the member's:
 * a service from before a reload, which takes two, does not draw it later.
 *
 * @param last that of the service which this one replaces: both go on drawing for a while
 * @param perAnswer numbers of an answer
 */
export function tokenIds(
  form: TokenIdForm,
  node: () => number = () => 0,
  last: TokenIds['last'] = { tick: 0 },
  perAnswer: 2 | 4 = 2,
): TokenIds {
  if (form === 'uuid') {
    return {
      last,
      draw: () => nodes,
      access: ({ nonce }) => uuidOf(`jetway jti ${nonce}`),
      refresh: ({ nonce }) => uuidOf(`jetway refresh jti ${nonce}`),
      beside: ({ nonce }) => uuidOf(`jetway beside jti ${nonce}`),
      own: () => randomUUID(),
    };
  }
  const draw = (now: Instant): number => {
    last.tick = Math.max(last.tick + perAnswer, (now - timesBegin) * perMillisecond + 1);
    return last.tick * nodes + node();
  };
  return {
    last,
    draw,
    access: (answer) => String(numberOf(answer)),
    refresh: (answer) => String(numberOf(answer) + nodes),
    beside: (answer) => String(numberOf(answer) - 2 * nodes),
    own: (now) => String(draw(now)),
  };
}

/** Rows of a time when identifiers were UUIDs all have the same number: theirs follows from the nonce. */
function numberOf({ tokenNumber, nonce }: Pick<Answer, 'tokenNumber' | 'nonce'>): number {
  if (tokenNumber > nodes) return tokenNumber;
  const digits = hash('sha256', Buffer.from(`jetway jti ${nonce}`, 'latin1'), 'hex').slice(0, 13);
  return Number.parseInt(digits, 16) + 1;
}

/** A random UUID's form (RFC 9562, version 4) of a text's SHA-256. */
function uuidOf(text: string): string {
  const hex = hash('sha256', Buffer.from(text, 'latin1'), 'hex');
  const ninth = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4] ?? '8';
  const [a, b, c] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)];
  return `${a}-${b}-4${c}-${ninth}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
