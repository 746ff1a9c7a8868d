// Owns the outages that nodes have met, as all nodes know them.

import { instant } from '../../lib/clock.ts';
import type { Outage } from '../keeping.ts';
import { endingAt } from '../sql/ends.ts';
import { integer, plainTable } from '../sql/table.ts';
import type { Found } from './link/statement.ts';

/** A node that has the store again notes from when to when it had not (leases.ts). */
export const outageTable = `
CREATE TABLE outage (
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  PRIMARY KEY (to_at, from_at)
);
`;

/** More do not count: a database that comes and goes for days ends no login, but grants no retries either. */
const most = 1000;

/** SQL of a value that `readOutages` reads: the latest outages. */
export const outagesColumn = `(SELECT json_agg(json_build_array(from_at, to_at))::text
  FROM (SELECT from_at, to_at FROM outage ORDER BY to_at DESC LIMIT ${most}) AS latest)`;

export function readOutages(column: Found | undefined): readonly Outage[] {
  const found = JSON.parse(typeof column === 'string' ? column : '[]') as [number, number][];
  return found.map(([from, to]) => ({ from: instant(from), to: instant(to) }));
}

/** Outages that no retry window is long enough for. */
export const pastOutages = endingAt(
  plainTable('outage', { key: ['to_at', 'from_at'] }, { from_at: integer(), to_at: integer() }),
  'outage.to_at + 86400000',
);
