// Owns what is done in PostgreSQL with kept texts beside their verbs: what a restore and an accepted time
// change.

import { raiseFloor } from '../sql/kept_rows.ts';
import { replacing } from '../sql/statement.ts';
import { keptTexts } from '../sql/tables.ts';
import { tableRows } from './tables.ts';

/** Rows of kept texts, for a statement that writes some beside others. */
export const textRows = tableRows(keptTexts);

/** SQL that changes marks by rows, which are the parameters from `at` on; not of a token that came since. */
export function changeMarks(at: number, condition: string): string {
  return `UPDATE kept_text SET mark = asked.mark, sum = asked.sum FROM ${textRows.from('asked', at)}
    WHERE ${condition} AND kept_text.programme = asked.programme AND kept_text.use = asked.use
      AND kept_text.key = asked.key AND kept_text.kept = asked.kept`;
}

/** SQL that raises the floor of assertions by rows, which are the parameters from `at` on. */
export function raiseFloors(at: number, condition: string): string {
  return `INSERT INTO kept_text (${textRows.names.join(', ')}) SELECT ${textRows.names.join(', ')} FROM ${textRows.from('asked', at)}
    WHERE ${condition} ${replacing(keptTexts)} ${raiseFloor}`;
}
