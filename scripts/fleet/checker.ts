// Owns the judgement on a history: whether one correct server could have answered so (linearizability),
// and, where not, which of its answers shows it.

import type { History } from './history.ts';
import { beginning, type State, step } from './one_server.ts';

/** `undecided`: too many orders to try them all. */
export type Verdict = 'possible' | 'impossible' | 'undecided';

/** Orders that are tried before the history counts as undecided. */
const mostTries = 300_000;

/**
 * Whether there is an order of the requests in which one server gives these answers (Wing and Gong). A
 * request may come next if no other one had been answered before it was sent. One without an answer may
 * come at any time later, or never.
 */
export function judgeHistory({ hasGrace, requests: all }: History): Verdict {
  const requests = all
    // What only reads, and was not answered, tells nothing.
    .filter(({ act, outcome }) => outcome !== undefined || act.kind !== 'verify')
    .toSorted((one, other) => one.invoked - other.invoked);
  const tried = new Set<string>();
  const stack: { readonly done: bigint; readonly state: State }[] = [
    { done: 0n, state: beginning },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { done, state } = next;
    const key = `${done} ${JSON.stringify(state)}`;
    if (tried.has(key)) continue;
    tried.add(key);
    if (tried.size > mostTries) return 'undecided';
    const left = requests
      .map((request, index) => ({ request, bit: 1n << BigInt(index) }))
      .filter(({ bit }) => (done & bit) === 0n);
    if (left.every(({ request }) => request.outcome === undefined)) return 'possible';
    const firstEnd = Math.min(...left.map(({ request }) => request.completed));
    const lost = new Set<string>();
    for (const { request, bit } of left) {
      if (request.invoked > firstEnd) break;
      const { act, outcome } = request;
      if (outcome === undefined) {
        // Of requests that are alike and were not answered the earliest may stand for any of them.
        const text = JSON.stringify(act);
        if (lost.has(text)) continue;
        lost.add(text);
      }
      const after = step(state, act, outcome, hasGrace);
      if (after === undefined || (outcome === undefined && after === state)) continue;
      stack.push({ done: done | bit, state: after });
    }
  }
  return 'impossible';
}

/** The history as it was known when the first answer came that cannot be. */
export function untilFault(history: History): History {
  const moments = history.requests
    .map(({ completed }) => completed)
    .filter(Number.isFinite)
    .toSorted((one, other) => one - other);
  for (const moment of moments) {
    const known = {
      ...history,
      requests: history.requests
        .filter(({ invoked }) => invoked <= moment)
        .map((request) =>
          request.completed <= moment
            ? request
            : { ...request, outcome: undefined, completed: Infinity },
        ),
    };
    if (judgeHistory(known) === 'impossible') return known;
  }
  return history;
}
