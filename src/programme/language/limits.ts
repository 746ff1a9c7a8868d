// Owns what a file may say of limits: how many requests or failures are too many, and what follows.

import * as v from 'valibot';

import type { Milliseconds } from '../../lib/clock.ts';
import { key } from '../../schema/notes.ts';
import { lifetimeSchema } from '../../schema/scalars.ts';

/** The texts of the two keys of a limit. */
type LimitTexts = Readonly<Record<'limit' | 'window', Parameters<typeof key>[1]>>;

/** `off`, or how many in which time. */
type FailureLimit = 'off' | { readonly limit: number; readonly window: Milliseconds };

const countSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000));

export const throttleSchema = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      limit: key(countSchema, { text: 'Requests in one window.', example: '300' }),
      window: key(lifetimeSchema, {
        text: 'Length of the window. `Retry-After` tells the client when the next one opens.',
        example: '5m',
      }),
    }),
  ]),
  'off',
);

/** A limit on failures, with what holds where a file leaves it out, or one of its parts. */
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

const usualLockout = { attempts: 5, window: '15m', lock: '15m' } as const;

/** A username that fails so often within a window is locked for a while, whoever tries. */
export const lockoutSchema = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      attempts: key(
        v.optional(
          v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)),
          usualLockout.attempts,
        ),
        { text: 'Failures that are judged in one window.', example: '10' },
      ),
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
