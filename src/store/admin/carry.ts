// Owns carrying the rows of one store into another, each held to its sum, and counting them.

import { insertText, type Statement, statement } from '../sql/statement.ts';
import { type Table, wholeness } from '../sql/table.ts';
import { lasting, tables } from '../sql/tables.ts';
import { StoreUnusable } from '../unusable.ts';
import { putFacts, type StoreFacts } from './facts.ts';
import { numberOf, type Place, type Row } from './place.ts';

export interface CarriedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Of its rows, in the order in which they are to lie. */
  readonly select: string;
  readonly insert: Statement;
  readonly isWhole: (row: Row) => boolean;
}

/** Rows are numbered anew, in their order. */
const numbered = 'position';

function carried(table: Table): CarriedTable {
  const { name, key } = table;
  const names = table.names.filter((column) => column !== numbered);
  return {
    name,
    columns: names,
    select: `SELECT ${names.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`,
    insert: statement(`carry_${name}`, table.columns, insertText({ name, names }, '')),
    isWhole: wholeness(table, names),
  };
}

/** All that a store is asked for; leases of node numbers end with their processes. */
export const everything: readonly CarriedTable[] = tables.map(carried);

/** What a backup may bring back. */
export const registrations: readonly CarriedTable[] = lasting.map(carried);

/** How many rows were carried, by table. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Carries the tables into empty ones; returns how many rows each has.
 * @param isWanted which rows of a table are carried; all if left out
 * @throws StoreUnusable for a damaged row, or where not all rows have arrived
 */
export async function carryRows(
  source: Pick<Place, 'name' | 'chunks'>,
  target: Pick<Place, 'name' | 'write' | 'run'>,
  carriedTables: readonly CarriedTable[],
  isWanted: (table: CarriedTable, row: Row) => boolean = () => true,
): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const table of carriedTables) {
    const { name, columns, isWhole } = table;
    let sent = 0;
    for await (const read of source.chunks(table.select)) {
      if (!read.every(isWhole)) throw damaged(source.name, name);
      const rows = read.filter((row) => isWanted(table, row));
      const named = rows.map((row) =>
        Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
      );
      if (rows.length > 0) await target.write(table.insert, named);
      sent += rows.length;
    }
    const arrived = await numberOf(target, `SELECT count(*) FROM ${name}`);
    if (arrived !== sent) {
      throw new StoreUnusable(
        `${arrived} rows of ${name} have arrived in ${target.name}, of ${sent}`,
        'see that nothing else writes to it, and run the command again',
      );
    }
    counts[name] = arrived;
  }
  return counts;
}

/** The same, with the facts of the source, into a store that has neither. */
export async function carryStore(
  facts: StoreFacts,
  source: Pick<Place, 'name' | 'chunks'>,
  target: Place,
  ...which: readonly [tables: readonly CarriedTable[], isWanted?: Parameters<typeof carryRows>[3]]
): Promise<Counts> {
  await putFacts(target, facts);
  return carryRows(source, target, ...which);
}

function damaged(store: string, table: string): StoreUnusable {
  return new StoreUnusable(
    `a row of ${table} in ${store} does not fit its checksum`,
    'jetway store verify counts such rows; go on from a backup',
  );
}
