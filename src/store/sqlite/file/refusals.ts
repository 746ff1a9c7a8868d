// Owns the refusals of a store file: of a foreign, newer, older or open file, and of what SQLite cannot read.

import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import { exposureOf, shownMode } from '../../../lib/read_file.ts';
import { type Move, movedAlready } from '../../admin/copy.ts';
import type { Environment } from '../../contract.ts';
import { damagedStore, restoreHint, StoreUnusable } from '../../unusable.ts';
import { sqliteCode } from '../commits/outage.ts';
import { metaOf } from '../meta.ts';
import { applicationId, movedApplicationId, schemaVersion } from '../schema.ts';

/**
 * Checks that a store file is or could be at a path.
 * @throws StoreUnusable for a directory, a pipe, a device
 */
export function expectFilePath(path: string): void {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Opening the file reports why it cannot be read.
  }
  if (found === undefined || found.isFile()) return;
  if (!found.isDirectory()) {
    throw new StoreUnusable(`${path} is no regular file`, 'name another path');
  }
  throw new StoreUnusable(
    `store ${path} is a directory`,
    `name a file in it in the configuration, such as store: file:${join(path, 'jetway.db')}`,
  );
}

/** Looks at the header before anything is written: another program's file stays as it is. */
export function expectOurs(database: DatabaseSync, path: string): void {
  // Reading comes first: SQLite itself names a file that is no database.
  const id = numberOf(database, 'application_id');
  if (statSync(path).size === 0) throw new StoreUnusable(`store ${path} is empty`, restoreHint);
  const moved = moveOf(database);
  if (moved !== undefined) throw movedAlready(path, moved);
  if (id !== applicationId) {
    throw new StoreUnusable(
      `${path} is a database of another application (application_id ${id})`,
      'name another path in the configuration (store:)',
    );
  }
  const version = numberOf(database, 'user_version');
  if (version === schemaVersion) return;
  throw new StoreUnusable(
    `store ${path} has schema ${version}; this Jetway knows schema ${schemaVersion}`,
    version > schemaVersion
      ? 'run the Jetway that wrote it, or a newer one'
      : 'move it away and set up an empty store in its place, or run the Jetway that wrote it: no version migrates stores yet',
  );
}

/** Where a file was moved to (`store copy`); undefined for any other file. */
export function moveOf(database: DatabaseSync): Move | undefined {
  if (numberOf(database, 'application_id') !== movedApplicationId) return undefined;
  const meta = metaOf(database);
  return { id: meta.get('moved_as') ?? '', to: meta.get('moved_to') ?? '' };
}

/** C-3: a store belongs to one environment. */
export function expectEnvironment(
  database: DatabaseSync,
  path: string,
  environment: Environment,
): void {
  const owner = metaOf(database).get('environment');
  if (owner === environment) return;
  throw new StoreUnusable(
    `store ${path} belongs to environment ${owner}; this configuration is for ${environment}`,
    `set environment: ${owner}, or name another path for ${environment} (store:)`,
  );
}

/** HOSTILE 56: the file and its log hold password hashes and the rights of clients. */
export function expectPrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const exposure = exposureOf(path, found);
  if (exposure === 'open') {
    throw new StoreUnusable(
      `store ${path} is open to others (mode ${shownMode(found)})`,
      `chmod 600 ${path}`,
    );
  }
  if (exposure === undefined) return;
  throw new StoreUnusable(
    `store ${path} belongs to another user (uid ${found.uid})`,
    'run Jetway as that user, or give the file to the user it runs as',
  );
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

/** The error for a file that SQLite cannot open (sqlite.org/rescode.html: 11 CORRUPT, 26 NOTADB). */
export function unusable(path: string, cause: unknown): StoreUnusable {
  const code = sqliteCode(cause);
  if (code === 26) return new StoreUnusable(`${path} is not a database`, restoreHint, { cause });
  const reason = reasonOf(cause);
  // Jetway writes no number that JavaScript cannot hold.
  const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_OUT_OF_RANGE';
  if (code === 11 || isTooLarge) return damagedStore(path, reason, { cause });
  return new StoreUnusable(
    `store ${path} cannot be opened: ${reason}`,
    'check its permissions, the space left on the disk and what else has it open',
    { cause },
  );
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
