// Owns the judgement on a history: whether one correct server could have answered so (linearizability),
// and, where not, the shortest history that shows it.

import type { History, Request } from './history.ts';
import { beginning, type State, step } from './one_server.ts';

/** `undecided`: too many orders to try them all. */
export type Verdict = 'possible' | 'impossible' | 'undecided';

/** Orders that are tried before the history counts as undecided. */
const mostTries = 300_000;

/** Whether there is an order of the requests in which one server gives these answers. */
export function judgeHistory(history: History): Verdict {
  return search(history, [beginning]).verdict;
}

interface Found {
  readonly verdict: Verdict;
  /** Every state in which the server can be at the end. */
  readonly ends: readonly State[];
}

/**
 * Tries the orders (Wing and Gong). A request may come next if no other one had been answered before it
 * was sent. One without an answer may come at any time later, or never.
 */
function search(history: History, starts: readonly State[], allEnds = false): Found {
  const { hasGrace } = history;
  const requests = history.requests
    // What only reads, and was not answered, tells nothing.
    .filter(({ act, outcome }) => outcome !== undefined || act.kind !== 'verify')
    .toSorted((one, other) => one.invoked - other.invoked);
  const tried = new Set<string>();
  const ends = new Map<string, State>();
  const stack = starts.map((state) => ({ done: 0n, state }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { done, state } = next;
    const key = `${done} ${JSON.stringify(state)}`;
    if (tried.has(key)) continue;
    tried.add(key);
    if (tried.size > mostTries) return { verdict: 'undecided', ends: [] };
    const left = requests
      .map((request, index) => ({ request, bit: 1n << BigInt(index) }))
      .filter(({ bit }) => (done & bit) === 0n);
    if (left.every(({ request }) => request.outcome === undefined)) {
      if (!allEnds) return { verdict: 'possible', ends: [state] };
      ends.set(JSON.stringify(state), state);
    }
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
  return { verdict: ends.size > 0 ? 'possible' : 'impossible', ends: [...ends.values()] };
}

/**
 * The shortest part of an impossible history that is impossible: up to the first answer that cannot
 * be, from the last moment at which no request was under way, without readings that matter to nothing.
 */
export function shortest(history: History): History {
  const short = withoutBeginning(untilFault(history));
  const isImpossible = (requests: readonly Request[]): boolean =>
    search({ ...history, requests }, short.starts).verdict === 'impossible';
  let { requests } = short;
  for (const request of short.requests) {
    if (request.act.kind !== 'verify') continue;
    const fewer = requests.filter((one) => one !== request);
    if (isImpossible(fewer)) requests = fewer;
  }
  return { ...history, requests: [...short.before, ...requests] };
}

/** The history as it was known when the first answer came that cannot be. */
function untilFault(history: History): History {
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

interface Rest {
  /** The requests that gave the tokens which the server has at the beginning of the rest. */
  readonly before: readonly Request[];
  readonly requests: readonly Request[];
  readonly starts: readonly State[];
}

/** Leaves out what had ended, all of it answered, before the rest began. */
function withoutBeginning({ hasGrace, requests }: History): Rest {
  const sorted = requests.toSorted((one, other) => one.invoked - other.invoked);
  for (let cut = sorted.length - 1; cut > 0; cut -= 1) {
    const [head, tail] = [sorted.slice(0, cut), sorted.slice(cut)];
    const begin = tail[0]?.invoked ?? 0;
    if (!head.every(({ completed }) => completed < begin)) continue;
    const { ends } = search({ hasGrace, requests: head }, [beginning], true);
    if (search({ hasGrace, requests: tail }, ends).verdict !== 'impossible') continue;
    const given = new Set(
      ends.map(({ current }) => (typeof current === 'object' ? current.access : '')),
    );
    const before = head.filter(({ act, outcome }) =>
      typeof outcome === 'object'
        ? given.has(outcome.access)
        : act.kind === 'issue' && tail.some((later) => later.act.kind === 'spend'),
    );
    return { before, requests: tail, starts: ends };
  }
  return { before: [], requests: sorted, starts: [beginning] };
}
