// Owns the refusal of requests before anything is read, counted or spent: to a programme in maintenance,
// and where the audit stream cannot be told of them.

import { type Soon, soon } from '../lib/pause.ts';
import { InMaintenance, Unavailable } from '../oauth/failure.ts';
import { type Maintenance, wholeProgramme } from '../oauth/maintenance.ts';
import type { Service } from './service.ts';

/**
 * Asked before every request: the command line ends and begins maintenance in running servers at once.
 * Costs a look into what the store remembers of its rows.
 * @throws InMaintenance
 */
export function expectInService({ store, programme }: Service): Soon<void> {
  return soon(store.find('maintenance', programme.id, wholeProgramme), expectNone);
}

function expectNone(maintenance: Maintenance | undefined): void {
  if (maintenance !== undefined) throw new InMaintenance(maintenance.retryAfter);
}

/**
 * FAULTS 27: what the audit stream could not be told of is not done.
 * @throws Unavailable
 */
export function expectAudit({ audit }: Service): void {
  if (audit?.isBlocked !== true) return;
  throw new Unavailable(`the audit stream cannot be written: ${audit.trouble ?? ''}`);
}
