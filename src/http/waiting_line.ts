// Owns a line of requests that wait to be begun.

export interface Plan {
  /** Processor time of a request beside the other kinds'. */
  readonly cost: number;
  /** Part of a turn that no other kind takes, beside the parts of other kinds that wait. */
  readonly share: number;
}

/** The requests of one kind that wait to be begun. */
export class Line {
  readonly plan: Plan;
  readonly #works: (() => void)[] = [];
  #next = 0;
  /** Requests that may wait. */
  room: number;
  /** Since when some have waited at the end of turns, and when last; milliseconds. */
  standingSince: number | undefined;
  waitedAt: number = -Infinity;

  constructor(plan: Plan, room: number) {
    this.plan = plan;
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
  }

  /** Begins so many requests, or all; they may add others, for a later turn. */
  begin(most: number): number {
    const works = this.#works;
    const end = Math.min(works.length, this.#next + most);
    const begun = end - this.#next;
    while (this.#next < end) works[this.#next++]?.();
    // Seldom, since each time all that still waits is moved.
    if (this.#next * 2 >= works.length) {
      works.splice(0, this.#next);
      this.#next = 0;
    }
    return begun;
  }
}
