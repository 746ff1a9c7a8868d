// Owns carrying the rows of one store into another, each held to its sum, and counting them.

import { StoreUnusable } from '../unusable.ts';
import type { CarriedTable, Row } from './tables.ts';

export interface RowSource {
  /** How messages name it. */
  readonly name: string;
  /** All rows of a table as of one moment, some at a time. */
  readonly rows: (table: CarriedTable) => AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
}

export interface RowTarget {
  readonly name: string;
  /** Appends rows to a table. */
  readonly put: (table: CarriedTable, rows: readonly Row[]) => Promise<void> | void;
  readonly count: (table: CarriedTable) => Promise<number> | number;
}

/**
 * Carries the tables into empty ones; returns how many rows each has.
 * @param isWanted which rows of a table are carried; all if left out
 * @throws StoreUnusable for a damaged row, or where not all rows have arrived
 */
export async function carryRows(
  source: RowSource,
  target: RowTarget,
  tables: readonly CarriedTable[],
  isWanted: (table: CarriedTable, row: Row) => boolean = () => true,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    let sent = 0;
    for await (const read of source.rows(table)) {
      for (const row of read) if (!table.isWhole(row)) throw damaged(source, table);
      const rows = read.filter((row) => isWanted(table, row));
      if (rows.length > 0) await target.put(table, rows);
      sent += rows.length;
    }
    const arrived = await target.count(table);
    if (arrived !== sent) {
      throw new StoreUnusable(
        `${arrived} rows of ${table.name} have arrived in ${target.name}, of ${sent}`,
        'see that nothing else writes to it, and run the command again',
      );
    }
    counts[table.name] = arrived;
  }
  return counts;
}

function damaged({ name }: RowSource, table: CarriedTable): StoreUnusable {
  return new StoreUnusable(
    `a row of ${table.name} in ${name} does not fit its checksum`,
    'jetway store verify counts such rows; go on from a backup',
  );
}
