// Owns token identifiers (`jti`): unique texts, or unique whole numbers for dialects that want one.

import { randomInt, randomUUID } from 'node:crypto';

import type { Instant } from '../lib/clock.ts';

export type TokenIdForm = 'uuid' | 'number';

/** Milliseconds since here take 41 bits until 2089, which leaves 12 of the 53 a number has. */
const epoch = Date.parse('2020-01-01T00:00:00Z');
const perMillisecond = 4096;

/**
 * A maker of identifiers of one form. Numbers lie between 1 and 2^53-1 (P-7), so that every JSON
 * reader keeps their digits: time in front, then a counter that starts anywhere.
 */
export function tokenIdMaker(form: TokenIdForm): (now: Instant) => string {
  if (form === 'uuid') return () => randomUUID();
  let counter = randomInt(perMillisecond);
  return (now) => {
    counter = (counter + 1) % perMillisecond;
    return String((now - epoch) * perMillisecond + counter);
  };
}
