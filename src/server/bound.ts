// Owns the bound on what callers can have written, in the log and in the audit stream: so much of one kind
// within a span of time, and counted beyond it (HOSTILE 59). Metrics need none: their labels have closed lists.

/** The most of one kind within so many milliseconds (docs/reference.md tells them). */
export const bounds = {
  /** Lines of the log for requests that are alike in cause or client, and for those of all strangers. */
  alike: { most: 20, span: 1000 },
  strangers: { most: 100, span: 1000 },
  /** Lines of the log for an event. */
  events: { most: 20, span: 10_000 },
  /** Refusals in the audit stream. */
  refusals: { most: 300, span: 10_000 },
} as const;

export class Bound {
  readonly #most: number;
  readonly #span: number;
  readonly #leftOut: ((kind: string, count: number) => void) | undefined;
  readonly #counts = new Map<string, number>();

  /** @param leftOut called at the end of a span, for each kind that had too many */
  constructor(
    { most, span }: (typeof bounds)[keyof typeof bounds],
    leftOut?: (kind: string, count: number) => void,
  ) {
    this.#most = most;
    this.#span = span;
    this.#leftOut = leftOut;
  }

  /** Counts one; false where it is one too many. */
  allows(kind: string): boolean {
    // The first of a span begins it.
    if (this.#counts.size === 0) setTimeout(() => this.#endSpan(), this.#span).unref();
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count <= this.#most;
  }

  #endSpan(): void {
    const all = [...this.#counts];
    this.#counts.clear();
    for (const [kind, count] of all) {
      if (count > this.#most) this.#leftOut?.(kind, count - this.#most);
    }
  }
}
