// Owns the headers that tell a client how much of its throttle is left.

import type { BudgetHeaders, BudgetValue } from '../../language/limits.ts';
import type { Budget } from '../../oauth/client.ts';

export type BudgetWriter = (budget: Budget) => Readonly<Record<string, string>>;

/** Rounded up: a client that waits for so many seconds finds the next window open. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** `policy` and `state` are Structured Fields (draft-ietf-httpapi-ratelimit-headers-10). */
const values: Readonly<Record<BudgetValue, (budget: Budget) => string | number>> = {
  limit: ({ limit }) => limit.limit,
  window: ({ limit }) => seconds(limit.window),
  remaining: ({ remaining }) => remaining,
  reset_after: ({ resetAfter }) => seconds(resetAfter),
  reset_at: ({ at, resetAfter }) => seconds(at + resetAfter),
  policy: ({ limit }) => `"default";q=${limit.limit};w=${seconds(limit.window)}`,
  state: ({ remaining, resetAfter }) => `"default";r=${remaining};t=${seconds(resetAfter)}`,
};

/** Writes the headers that a file names; undefined where it names none. */
export function compileBudgetHeaders(headers: BudgetHeaders): BudgetWriter | undefined {
  const writers = Object.entries(headers).map(([name, value]) => [name, values[value]] as const);
  if (writers.length === 0) return undefined;
  return (budget) => {
    const written: Record<string, string> = {};
    for (const [name, write] of writers) written[name] = String(write(budget));
    return written;
  };
}
