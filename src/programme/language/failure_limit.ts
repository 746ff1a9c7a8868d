// Owns what a file may say of failures: how many of them are too many, and what follows.

import * as v from 'valibot';

import type { Milliseconds } from '../../lib/clock.ts';
import { lifetimeSchema } from '../../schema/scalars.ts';

export type FailureLimitDefinition =
  | 'off'
  | { readonly limit: number; readonly window: Milliseconds };

/** What a limit on failures is where a file says nothing of it, or of one of its parts. */
export function failureLimitSchema(
  limit: number,
  window: string,
): v.GenericSchema<unknown, FailureLimitDefinition> {
  const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000));
  const entries = { limit: v.optional(count, limit), window: v.optional(lifetimeSchema, window) };
  return v.optional(v.union([v.literal('off'), v.strictObject(entries)]), { limit, window });
}

/** A username that fails so often within a window is locked for a while, whoever tries. */
export interface LockoutDefinition {
  readonly attempts: number;
  readonly window: Milliseconds;
  readonly lock: Milliseconds;
}

const usualLockout = { attempts: 5, window: '15m', lock: '15m' } as const;

export const lockoutSchema: v.GenericSchema<unknown, 'off' | LockoutDefinition> = v.optional(
  v.union([
    v.literal('off'),
    v.strictObject({
      attempts: v.optional(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)),
        usualLockout.attempts,
      ),
      window: v.optional(lifetimeSchema, usualLockout.window),
      lock: v.optional(lifetimeSchema, usualLockout.lock),
    }),
  ]),
  usualLockout,
);
