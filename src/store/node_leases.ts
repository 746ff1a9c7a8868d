// Owns the node number of a process, the smallest number that no other process holds, and what the
// processes of a store tell each other beside it.

import { after, allowedDrift, type Instant, milliseconds } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { SigningAlgorithm } from '../oauth/signing_key.ts';

/** Node numbers are 0 to 1023: they have 10 bits of a numeric token identifier. */
export const nodes = 1024;
/** A holder that has not asked for so long has ended; the holder asks every second. */
export const leaseSpan = milliseconds(120_000);

/** What a server tells the other servers of its store. */
export interface NodeFacts {
  /** Names it for people. */
  readonly name: string;
  readonly version: string;
  /** The programmes it serves. */
  readonly programmes: Readonly<Record<ProgrammeId, ServedFacts>>;
  /** Settings that all servers need alike, by the keys of the configuration. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface ServedFacts {
  /** Of all that a file brings into service. */
  readonly digest: string;
  /** Absent where it signs nothing with signing keys. */
  readonly signs?: SigningAlgorithm;
  /** With keys of identity tokens alone; absent where it has none. */
  readonly signsIdentity?: SigningAlgorithm;
}

/** A node number in use. */
export interface NodeLease {
  readonly node: number;
  readonly holder: string;
  readonly expiresAt: Instant;
  /** `NodeFacts` as JSON; null for a process that tells nothing, or no longer. */
  readonly facts: string | null;
}

/** A server that holds a node number now. */
export interface LeasedNode {
  readonly node: number;
  readonly holder: string;
  readonly facts: NodeFacts;
}

export function factsText(facts: NodeFacts | undefined): string | null {
  return facts === undefined ? null : JSON.stringify(facts);
}

/** Whether the holder's lease need not be written yet, so that few calls write. */
export function isFresh(
  lease: NodeLease | undefined,
  { holder, facts }: Pick<NodeLease, 'holder' | 'facts'>,
  now: Instant,
): lease is NodeLease {
  if (lease?.holder !== holder || lease.facts !== facts) return false;
  const left = lease.expiresAt - now;
  return left > leaseSpan / 2 && left <= leaseSpan;
}

/** Whether a lease holds at `now`. One that would outlast a new one is from before a jump of the clock. */
function isHeld({ expiresAt }: NodeLease, now: Instant): boolean {
  return now < expiresAt && expiresAt - now <= leaseSpan + allowedDrift;
}

/**
 * The lease that the holder gets at `now`: its own again, as long as nobody else took it.
 * @throws Unavailable when all are taken.
 */
export function nextLease(
  leases: readonly NodeLease[],
  { holder, facts }: Pick<NodeLease, 'holder' | 'facts'>,
  now: Instant,
): NodeLease {
  const expiresAt = after(now, leaseSpan);
  const own = leases.find((lease) => lease.holder === holder);
  if (own !== undefined) return { ...own, expiresAt, facts };
  const taken = new Set(leases.filter((lease) => isHeld(lease, now)).map(({ node }) => node));
  for (let node = 0; node < nodes; node += 1) {
    if (!taken.has(node)) return { node, holder, expiresAt, facts };
  }
  throw allTaken();
}

/** The error where every node number has a holder. */
export function allTaken(): Unavailable {
  return new Unavailable(`store: all ${nodes} node numbers are taken`);
}

/** The servers that hold one of the leases at `now`, by number. */
export function leasedNodes(leases: readonly NodeLease[], now: Instant): readonly LeasedNode[] {
  return leases
    .filter((lease) => isHeld(lease, now))
    .flatMap(({ node, holder, facts }) =>
      facts === null ? [] : [{ node, holder, facts: JSON.parse(facts) as NodeFacts }],
    )
    .toSorted((one, other) => one.node - other.node);
}
