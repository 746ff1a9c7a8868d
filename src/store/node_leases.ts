// Owns the node number of a process: the smallest number that no other process holds.

import { after, type Instant, milliseconds } from '../lib/clock.ts';
import { Unavailable } from '../oauth/failure.ts';

/** Node numbers are 0 to 1023: they have 10 bits of a numeric token identifier. */
const nodes = 1024;
/** A holder that has not asked for so long has ended; the holder asks every second. */
const leaseSpan = milliseconds(120_000);

/** A node number in use. */
export interface NodeLease {
  readonly node: number;
  readonly holder: string;
  readonly expiresAt: Instant;
}

/** Whether the holder's lease need not be renewed yet, so that few calls write. */
export function isFresh(
  lease: NodeLease | undefined,
  holder: string,
  now: Instant,
): lease is NodeLease {
  if (lease?.holder !== holder) return false;
  const left = lease.expiresAt - now;
  return left > leaseSpan / 2 && left <= leaseSpan;
}

/**
 * The lease that the holder gets at `now`: its own again, as long as nobody else took it.
 * @throws Unavailable when all are taken.
 */
export function nextLease(leases: readonly NodeLease[], holder: string, now: Instant): NodeLease {
  const expiresAt = after(now, leaseSpan);
  const own = leases.find((lease) => lease.holder === holder);
  if (own !== undefined) return { ...own, expiresAt };
  // One that would outlast a whole new one is from before a jump of the clock.
  const isTaken = (lease: NodeLease): boolean =>
    now < lease.expiresAt && lease.expiresAt <= expiresAt;
  const taken = new Set(leases.filter(isTaken).map(({ node }) => node));
  for (let node = 0; node < nodes; node += 1) {
    if (!taken.has(node)) return { node, holder, expiresAt };
  }
  throw new Unavailable(`store: all ${nodes} node numbers are taken`);
}
