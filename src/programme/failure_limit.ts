// Owns what a file may say of a limit on failures: how many in which window of time.

import * as v from 'valibot';

import type { Milliseconds } from '../lib/clock.ts';
import { lifetimeSchema } from './scalar_schema.ts';

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
