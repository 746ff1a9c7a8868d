// Owns the refusal of requests to a programme in maintenance: before anything is read, counted or spent.

import { InMaintenance } from '../oauth/failure.ts';
import { wholeProgramme } from '../oauth/maintenance.ts';
import type { Service } from './service.ts';

/**
 * Asked before every request: the command line ends and begins maintenance in running servers at once.
 * Costs a look into what the store remembers of its rows.
 * @throws InMaintenance
 */
export async function expectInService({ store, programme }: Service): Promise<void> {
  const maintenance = await store.find('maintenance', programme.id, wholeProgramme);
  if (maintenance !== undefined) throw new InMaintenance(maintenance.retryAfter);
}
