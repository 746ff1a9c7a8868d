// Owns what a client's values must look like, whatever they come from: options or a file.

import { parseDuration } from '../../lib/duration.ts';
import { quote } from '../../lib/fault.ts';
import type { ThrottleLimit } from '../../oauth/client.ts';

/** Why a value is refused, to follow its name in a sentence; undefined when it is not. */
type Rule = (value: string) => string | undefined;

export const nameFault: Rule = (name) =>
  name.trim() !== '' && name.length <= 200 && !/\p{C}/u.test(name)
    ? undefined
    : 'must be 1 to 200 characters that can be seen';

/** P-1 says what identifiers look like. */
export const businessContextFault: Rule = shape(/^[A-Za-z]{1,50}$/, '1 to 50 letters');
export const partnerIdFault: Rule = shape(/^[A-Za-z0-9]{8,20}$/, '8 to 20 letters and digits');

/** As dialects name it: `client.instance_url`. */
export const propertyNameFault: Rule = shape(
  /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
  'a letter and then letters, digits, "_", "-" or ".", at most 64 in all',
);

/** It goes into answers as it is. */
export const propertyValueFault: Rule = (value) =>
  value !== '' && value.length <= 1000 && !/\p{C}/u.test(value)
    ? undefined
    : 'must be 1 to 1000 characters that can be seen';

/** The limit of two texts, or which of them is refused and why. */
export function readThrottle(
  limit: string,
  window: string,
): ThrottleLimit | { readonly part: 'limit' | 'window'; readonly reason: string } {
  const count = /^\d{1,7}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > 1_000_000) {
    return { part: 'limit', reason: `must be a number from 1 to 1000000, not ${quote(limit)}` };
  }
  const span = parseDuration(window);
  if (span === undefined || span < 1000) {
    const reason = `must be a duration of at least 1s, such as 1m, not ${quote(window)}`;
    return { part: 'window', reason };
  }
  return { limit: count, window: span };
}

function shape(form: RegExp, words: string): Rule {
  return (value) => (form.test(value) ? undefined : `must be ${words}, not ${quote(value)}`);
}
