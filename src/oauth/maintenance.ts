// Owns what is kept of a programme that an operator has taken out of service for a while.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { ProgrammeId } from './client.ts';

/** There is one for as long as the maintenance lasts. */
export interface Maintenance {
  readonly programme: ProgrammeId;
  readonly part: MaintainedPart;
  readonly createdAt: Instant;
  /** What callers are told to wait before they try again. */
  readonly retryAfter: Milliseconds;
}

/** What of a programme is in maintenance: all of it. */
export type MaintainedPart = string & { readonly __brand: 'MaintainedPart' };

export const wholeProgramme = 'all' as MaintainedPart;
