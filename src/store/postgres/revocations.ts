// Owns writing revocations of all that owners were issued, beside other changes of an accepted time or a
// restore.

import { revocations } from '../sql/tables.ts';
import { tableRows } from './tables.ts';

export const revocationRows = tableRows(revocations);

/** SQL that writes rows, unless a row that is there has a later era; `source` has the columns of a row. */
export function putRevocations(source: string): string {
  return `INSERT INTO revocation AS kept (${revocationRows.names.join(', ')}) ${source}
    ON CONFLICT (programme, owner) DO UPDATE
      SET revoked_until = excluded.revoked_until, sum = excluded.sum
      WHERE excluded.revoked_until > kept.revoked_until`;
}
