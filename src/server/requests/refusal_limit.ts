// Owns the bound on what strangers can have written: refusals of one kind within a span of time are told
// one by one up to a number, and counted beyond it (HOSTILE 59).

/** What refusals of one kind have in common; `client` is empty where none has proved itself. */
export interface RefusalKind {
  readonly programme: string;
  readonly of: string;
  readonly reason: string;
  readonly client: string;
}

/** Refusals of one kind within a span of milliseconds. */
const mostTold = 300;
const span = 10_000;

interface Count {
  readonly kind: RefusalKind;
  refusals: number;
}

export class RefusalLimit {
  readonly #tell: (facts: RefusalKind & { readonly count: number }) => void;
  readonly #counts = new Map<string, Count>();

  /** @param tell called at the end of a span, for each kind that had too many */
  constructor(tell: (facts: RefusalKind & { readonly count: number }) => void) {
    this.#tell = tell;
  }

  /** Counts a refusal; false where it is one too many. */
  allows(kind: RefusalKind): boolean {
    if (this.#counts.size === 0) setTimeout(() => this.#endSpan(), span).unref();
    const key = `${kind.programme} ${kind.of} ${kind.reason} ${kind.client}`;
    const count = this.#counts.get(key);
    if (count === undefined) {
      this.#counts.set(key, { kind, refusals: 1 });
      return true;
    }
    count.refusals += 1;
    return count.refusals <= mostTold;
  }

  #endSpan(): void {
    const all = [...this.#counts.values()];
    this.#counts.clear();
    for (const { kind, refusals } of all) {
      if (refusals > mostTold) this.#tell({ ...kind, count: refusals - mostTold });
    }
  }
}
