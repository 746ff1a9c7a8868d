// Owns what a store knows of an audit stream.

import type { Instant } from '../lib/clock.ts';
import type { ProgrammeId } from '../oauth/client.ts';

/** The newest line of a stream when it was last noted: a stream that was removed or cut shows by it. */
export interface AuditMark {
  /** A stream is of no programme: empty. */
  readonly programme: ProgrammeId;
  /** Identifies the stream among those of the machines that share a store. */
  readonly stream: string;
  readonly createdAt: Instant;
  readonly seq: number;
  readonly mac: string;
}

export const ofNoProgramme = '' as ProgrammeId;
