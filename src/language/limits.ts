// Owns the schemas of limits on requests and failures.

import * as v from 'valibot';

import type { Milliseconds } from '../lib/clock.ts';
import { key, type KeyDeparture, type KeyText } from '../schema/notes.ts';
import { answerHeadersSchemaOf, lifetimeSchema, wholeNumber } from '../schema/scalars.ts';

type LimitTexts = Readonly<
  Record<'limit' | 'window', KeyText<unknown> & { readonly example: string }>
>;

/** `off`, or a number of failures in a window. */
type FailureLimit = 'off' | { readonly limit: number; readonly window: Milliseconds };

const countSchema = wholeNumber(1, 1_000_000);

/** What headers can tell of a limit, in words for partners. */
export const budgetRows = {
  limit: 'how many requests you may make in a window',
  window: 'the length of a window, in seconds',
  remaining: 'how many are left until the window ends',
  reset_after: 'seconds until the window ends',
  reset_at: 'when the window ends, in seconds since 1970',
  policy: 'the limit, as a `RateLimit-Policy` (IETF draft)',
  state: 'what is left, as a `RateLimit` (IETF draft)',
} as const;
export type BudgetValue = keyof typeof budgetRows;
const budgetValues = Object.keys(budgetRows) as readonly BudgetValue[];

/** By header name. */
export type BudgetHeaders = Readonly<Record<string, BudgetValue>>;

export const throttleSchema = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      limit: key(countSchema, { text: 'Requests in one window.', example: '300' }),
      window: key(lifetimeSchema, {
        text: 'Length of the window. `Retry-After` tells the client when the next one opens.',
        example: '5m',
      }),
      headers: key(v.optional(answerHeadersSchemaOf(v.picklist(budgetValues)), {}), {
        text: 'Headers that tell a client what it has left, by name. Token responses have them, and so has `throttled` if the client has used its requests up. `limit`: the requests in a window. `window`: its seconds. `remaining`: the requests that are left until the window ends. `reset_after`: the seconds until then. `reset_at`: that time in seconds since 1970. `policy` and `state`: the texts of `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). A client with a limit of its own is told that limit. If the file names no header, none is sent.',
        example:
          '{ X-RateLimit-Limit: limit, X-RateLimit-Remaining: remaining, X-RateLimit-Reset: reset_at }',
      }),
    }),
  ]),
  'off',
);

/**
 * A limit on failures; the defaults apply to a limit, or a part of a limit, that a file leaves out.
 */
export function failureLimitSchema(
  limit: number,
  window: string,
  texts: LimitTexts,
): v.GenericSchema<unknown, FailureLimit> {
  const entries = {
    limit: key(v.optional(countSchema, limit), texts.limit),
    window: key(v.optional(lifetimeSchema, window), texts.window),
  };
  return v.optional(v.union([v.literal('off'), v.strictObject(entries)]), { limit, window });
}

/** The departure of a limit on guesses that is off (HOSTILE 65). */
export function unlimited(name: string, what: string): KeyDeparture<unknown> {
  return {
    name,
    when: (limit) => limit === 'off',
    message: `nothing limits ${what} (RFC 6749 10.10)`,
    hint: 'leave it out for the usual limit, unless something in front of Jetway has one',
  };
}

const usualLockout = { attempts: 5, window: '15m', lock: '15m' } as const;

/** Locks a username after too many failures within a window, whichever address they come from. */
export const lockoutSchema = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      attempts: key(v.optional(wholeNumber(1, 1000), usualLockout.attempts), {
        text: 'How many attempts may fail in one window. One more locks the username.',
        example: '10',
      }),
      window: key(v.optional(lifetimeSchema, usualLockout.window), {
        text: 'Length of the window, from the first failure. A successful login ends it.',
        example: '1h',
      }),
      lock: key(v.optional(lifetimeSchema, usualLockout.lock), {
        text: 'How long the lock lasts, from the attempt that was one too many.',
        example: '30m',
      }),
    }),
  ]),
  usualLockout,
);

/** A limit, or undefined where the file switches it off. */
export function unlessOff<Limit extends object>(limit: Limit | 'off'): Limit | undefined {
  return limit === 'off' ? undefined : limit;
}
