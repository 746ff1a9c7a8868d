// Owns the form of a decision: a value in YAML, how to see it on the wire, and what is seen with the
// shipped file and with another value in its place.

import type { FailingStore } from '../../support/failing_store.ts';

export interface Decision<Club> {
  /** The rule of docs/rules.md that holds the decision, and the decision. */
  readonly decides: string;
  /** YAML that decides otherwise. */
  readonly over: string;
  /** YAML laid over the shipped file in both cases, where the decision needs it to be seen. */
  readonly given?: string;
  readonly see: (club: Club, store: FailingStore) => Promise<unknown>;
  readonly shipped: unknown;
  readonly changed: unknown;
}
