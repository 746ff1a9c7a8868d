// Owns the time that a command revokes tokens up to.

import { after, type Instant, milliseconds } from '../lib/clock.ts';
import type { OpenStore } from './workplace.ts';

/** A running server records its time once a second. */
const recordInterval = milliseconds(1000);

/**
 * A moment that nothing issued so far is later than. A running server keeps its own time: where
 * that is ahead of ours, the tokens of the last seconds would outlive a revocation by our clock.
 */
export async function revocationTime({ store, clock }: OpenStore): Promise<Instant> {
  const now = clock.now();
  const recorded = await store.recordedTime();
  return recorded === undefined || recorded <= now ? now : after(recorded, recordInterval);
}
