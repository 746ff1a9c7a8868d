// Owns the lines of requests that wait to be begun: one for each kind of work.

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
  /** Part of a turn that no other kind takes, beside the parts of other kinds that wait. */
  readonly share: number;
}

/** Kinds of work, in the order in which a turn begins them. */
export const kinds = ['verify', 'token', 'login', 'other'] as const;
export type WorkKind = (typeof kinds)[number];

export const plans: Readonly<Record<WorkKind, Plan>> = {
  verify: { cost: 1, share: 3 },
  token: { cost: 2, share: 3 },
  login: { cost: 2, share: 2 },
  other: { cost: 2, share: 1 },
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

/** The requests of one kind that wait to be begun. */
export class Line {
  readonly plan: Plan;
  readonly #works: (() => void)[] = [];
  /** When each of them came; milliseconds. */
  readonly #times: number[] = [];
  readonly #waits: Histogram;
  /** Requests that were refused because too many waited. */
  readonly refusals: Counter;
  #next = 0;
  /** Requests that may wait. */
  room: number;
  /** Since when some have waited at the end of turns, and when last; milliseconds. */
  standingSince: number | undefined;
  waitedAt: number = -Infinity;

  constructor(kind: WorkKind, room: number) {
    this.plan = plans[kind];
    this.#waits = waits({ kind });
    this.refusals = refusals({ kind });
    this.room = room;
  }

  get length(): number {
    return this.#works.length - this.#next;
  }

  get cost(): number {
    return this.length * this.plan.cost;
  }

  add(work: () => void): void {
    this.#works.push(work);
    this.#times.push(performance.now());
  }

  /** Begins so many requests, or all; they may add others, for a later turn. */
  begin(most: number): number {
    const works = this.#works;
    const end = Math.min(works.length, this.#next + most);
    const begun = end - this.#next;
    const now = performance.now();
    for (let index = this.#next; index < end; index += 1) {
      this.#waits.observe((now - (this.#times[index] ?? now)) / 1000);
    }
    while (this.#next < end) works[this.#next++]?.();
    // Seldom, since each time all that still waits is moved.
    if (this.#next * 2 >= works.length) {
      works.splice(0, this.#next);
      this.#times.splice(0, this.#next);
      this.#next = 0;
    }
    return begun;
  }
}
