// Owns token identifiers (`jti`): unique texts, or unique whole numbers for dialects that want one.

import { randomUUID } from 'node:crypto';

import type { Instant } from '../lib/clock.ts';

export type TokenIdForm = 'uuid' | 'number';

/** Milliseconds since here take 41 bits until 2089; two more tell identifiers of one apart. */
const epoch = Date.parse('2020-01-01T00:00:00Z');
const perMillisecond = 4;
/** Ten bits of the 53 a number has: which process made it. */
const nodes = 1024;

/**
 * A maker of identifiers of one form. Numbers lie between 1 and 2^53-1 (P-7), so that every JSON
 * reader keeps their digits: time in front, then the number of this process among those that share
 * its store. More than four in a millisecond take up time that is yet to come.
 */
export function tokenIdMaker(
  form: TokenIdForm,
  node: () => number = () => 0,
): (now: Instant) => string {
  if (form === 'uuid') return () => randomUUID();
  let tick = 0;
  return (now) => {
    tick = Math.max(tick + 1, (now - epoch) * perMillisecond);
    return String(tick * nodes + node());
  };
}
