// Owns reading the rows and single values of a store file for another store, and writing a file from
// those of another.

import type { DatabaseSync } from 'node:sqlite';

import { present } from '../../../lib/present.ts';
import type { RowSource, RowTarget } from '../../carry/carry.ts';
import {
  type CarriedTable,
  chunkRows,
  factsIn,
  metaOfFacts,
  type Row,
  type StoreFacts,
} from '../../carry/tables.ts';
import { eraOf, fileAccepted } from '../eras.ts';
import { metaOf } from '../meta.ts';
import { applicationId, schema, schemaVersion } from '../schema.ts';

export function fileFacts(database: DatabaseSync): StoreFacts {
  const meta = metaOf(database);
  return present({
    ...factsIn(meta.get),
    era: eraOf(meta),
    accepted: fileAccepted(meta),
  });
}

/** The rows of an open file; call it inside a transaction. */
export function fileRows(database: DatabaseSync, name: string): RowSource {
  return {
    name,
    *rows({ name: table, columns, orderBy }: CarriedTable) {
      const select = database.prepare(
        `SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${orderBy}`,
      );
      select.setReturnArrays(true);
      let chunk: Row[] = [];
      for (const row of select.iterate() as unknown as Iterable<Row>) {
        chunk.push(row);
        if (chunk.length < chunkRows) continue;
        yield chunk;
        chunk = [];
      }
      if (chunk.length > 0) yield chunk;
    },
  };
}

/** Makes the tables of a store in an empty file, and puts rows into them; call it inside a transaction. */
export function newFileRows(database: DatabaseSync, name: string, facts: StoreFacts): RowTarget {
  database.exec(schema);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  const meta = metaOf(database);
  const { accepted } = facts;
  const values = present({
    // Without the uptime of the recorded time, which is another machine's: only the time itself counts.
    ...metaOfFacts(facts),
    era: facts.era,
    accepted_era: accepted?.era,
    accepted_time: accepted?.time,
    forgotten_until: accepted?.forgotten,
  });
  for (const [key, value] of Object.entries(values)) meta.put(key, value);
  return {
    name,
    put: ({ name: table, columns }, rows) => {
      const marks = columns.map(() => '?').join(', ');
      const insert = database.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`,
      );
      for (const row of rows) insert.run(...row);
    },
    count: ({ name: table }) =>
      Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']),
  };
}
