// Owns writing store files that no other process knows yet.

import { backup, DatabaseSync } from 'node:sqlite';

import type { Place } from '../../admin/place.ts';
import { applicationId, schema, schemaVersion } from '../schema.ts';
import { filePlace } from './place.ts';

/** @param name how messages name the file */
export async function usingDraft<Result>(
  draft: string,
  use: (place: Place, database: DatabaseSync) => Promise<Result>,
  name: string = draft,
): Promise<Result> {
  const database = new DatabaseSync(draft);
  try {
    return await use(filePlace(database, draft, name), database);
  } finally {
    database.close();
  }
}

/** Makes the tables of a store in an empty file, and has `fill` write their rows in the same transaction. */
export function newFile<Result>(
  draft: string,
  fill: (place: Place) => Promise<Result>,
  name?: string,
): Promise<Result> {
  const body = (place: Place, database: DatabaseSync): Promise<Result> =>
    place.transaction(async () => {
      database.exec(schema);
      database.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`,
      );
      return fill(place);
    });
  return usingDraft(draft, body, name);
}

/** Copies an open database into `draft`, which is then one file without a log. */
export async function copyInto(source: DatabaseSync, draft: string): Promise<void> {
  // All pages in one step, off this thread: a commit between two steps restarts the copy, under load
  // for ever. A reader does not block writers.
  await backup(source, draft, { rate: 0x7fff_ffff });
  await usingDraft(draft, async (_, copy) => copy.exec('PRAGMA journal_mode = DELETE'));
}
