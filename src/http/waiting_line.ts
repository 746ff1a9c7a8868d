// Owns the lines of requests that wait to be begun: one for each kind of work, in which addresses take turns.

import {
  type Counter,
  counters,
  type Histogram,
  histograms,
  usualTimes,
} from '../lib/metrics/families.ts';

interface Plan {
  /** Processor time of a request beside the other kinds'. */
  readonly cost: number;
  /** Requests that are begun before the other kinds have theirs: shares of cost are 3, 3, 2 and 1. */
  readonly inTurn: number;
}

/** Kinds of work, in the order in which a turn begins them. */
export const kinds = ['verify', 'token', 'login', 'other'] as const;
export type WorkKind = (typeof kinds)[number];

const plans: Readonly<Record<WorkKind, Plan>> = {
  verify: { cost: 1, inTurn: 6 },
  token: { cost: 2, inTurn: 3 },
  login: { cost: 2, inTurn: 2 },
  other: { cost: 2, inTurn: 1 },
};

const waits = histograms(
  'jetway_queue_wait_seconds',
  'Time that requests waited for their turn, by kind of work.',
  usualTimes,
  'kind',
);
const refusals = counters(
  'jetway_overload_refusals_total',
  'Requests refused because there were more than the server can answer, by kind of work.',
  'kind',
);

interface Waiting {
  readonly work: () => void;
  /** When it came; milliseconds. */
  readonly at: number;
  next: Waiting | undefined;
}

/** The requests of one address. */
interface Queue {
  oldest: Waiting;
  newest: Waiting;
}

/** The requests of one kind that wait to be begun. */
export class Line {
  readonly plan: Plan;
  /** By address; the first has the next turn. */
  readonly #queues = new Map<string, Queue>();
  readonly #waits: Histogram;
  /** Requests that were refused because too many waited. */
  readonly refusals: Counter;
  length = 0;

  constructor(kind: WorkKind) {
    this.plan = plans[kind];
    this.#waits = waits({ kind });
    this.refusals = refusals({ kind });
  }

  get cost(): number {
    return this.length * this.plan.cost;
  }

  /** When the oldest request of an address came; undefined if none of it waits. */
  oldestOf(address: string): number | undefined {
    return this.#queues.get(address)?.oldest.at;
  }

  add(address: string, work: () => void, at: number): void {
    const one: Waiting = { work, at, next: undefined };
    const queue = this.#queues.get(address);
    if (queue === undefined) this.#queues.set(address, { oldest: one, newest: one });
    else {
      queue.newest.next = one;
      queue.newest = one;
    }
    this.length += 1;
  }

  /** Begins at most so many requests, one of each address in turn; returns how many. */
  begin(most: number, now: number): number {
    let begun = 0;
    for (const [address, queue] of this.#queues) {
      if (begun === most) break;
      let next: Waiting | undefined = queue.oldest;
      do {
        this.#begin(next, now);
        ({ next } = next);
        begun += 1;
      } while (next !== undefined && begun < most && this.#queues.size === 1);
      // The loop meets again what is put at the end of the Map.
      this.#queues.delete(address);
      if (next === undefined) continue;
      queue.oldest = next;
      this.#queues.set(address, queue);
    }
    return begun;
  }

  #begin({ work, at }: Waiting, now: number): void {
    this.length -= 1;
    this.#waits.observe((now - at) / 1000);
    work();
  }
}
