// Owns making a store file: whole or not at all.

import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { Instant } from '../../../lib/clock.ts';
import { makeFolder } from '../../../lib/make_folder.ts';
import type { Environment } from '../../contract.ts';
import { applicationId, schema, schemaVersion } from '../schema.ts';
import { placeNew, withDraft } from './disk.ts';

/**
 * Builds the file under another name and links it into place when it is complete: a crash or a
 * second process never meets half a store, so an empty file is always a damaged one. Where another
 * process was faster, its file is as good.
 */
export function makeFile(path: string, environment: Environment, now: Instant): void {
  makeFolder(dirname(path), 0o700);
  withDraft(path, (draft) => {
    writeSchema(draft, environment, now);
    placeNew(draft, path);
  });
}

function writeSchema(draft: string, environment: Environment, now: Instant): void {
  const database = new DatabaseSync(pathToFileURL(draft));
  try {
    database.exec(`BEGIN; ${schema}`);
    const insert = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    insert.run('environment', environment);
    insert.run('created_at', new Date(now).toISOString());
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
    // Last: until here all is in the one file that gets linked, whatever becomes of the log.
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}
