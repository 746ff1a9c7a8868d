// Owns calls of the loyalty API through a gateway, and what the API learns of who makes them.

import assert from 'node:assert/strict';

import { shown } from '../support/gateway.ts';
import type { Arrived, EchoApi } from './api.ts';
import type { Callers } from './site.ts';
import { askThrough, type Door } from './through.ts';

/** A call of the API, and the statuses it is answered with, caller by caller. */
export type Call = readonly [method: string, target: string, statuses: readonly number[]];

/** Asserts the statuses, and that what passed, and nothing else, reached the API as it was sent. */
export async function holdsFor(
  { door, api }: { readonly door: Door; readonly api: EchoApi },
  callers: Callers,
  calls: readonly Call[],
): Promise<void> {
  const seen: Call[] = [];
  for (const [method, target] of calls) {
    const statuses: number[] = [];
    for (const caller of Object.values(callers)) {
      const before = api.arrived.length;
      const { status } = await askThrough(door, target, { method, headers: shown(caller) });
      const reached = api.arrived.slice(before).map((one) => [one.method, one.target]);
      assert.deepEqual(reached, status === 200 ? [[method, target]] : [], `${method} ${target}`);
      statuses.push(status);
    }
    seen.push([method, target, statuses]);
  }
  assert.deepEqual(seen, calls);
}

/** The headers of a request that tell the API who calls; those that nothing is known for are away. */
export function known({ headers }: Arrived): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.filter(([name]) => /^x.auth/.test(name)));
}
