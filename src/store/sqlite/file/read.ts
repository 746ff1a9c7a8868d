// Owns reading a store file that this process does not serve from, and that a server may have open.

import { accessSync, constants, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { Place } from '../../admin/place.ts';
import { reportOn } from '../../admin/report.ts';
import type { StoreReport } from '../../care.ts';
import type { Item, Kind } from '../../kinds.ts';
import { type Value, wholeness } from '../../sql/table.ts';
import { registered } from '../../sql/tables.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { identityOf, isOpenHere, realPath } from './identity.ts';
import { logDamage } from './log.ts';
import { closeUnfolded } from './open.ts';
import { filePlace } from './place.ts';
import { expectOurs, unusable } from './refusals.ts';

/**
 * Reads a whole store file, which a server may have open.
 * @throws StoreUnusable for a file that cannot be read as a store.
 */
export function verifyFile(path: string): Promise<StoreReport> {
  return readingFile(path, reportOnFile);
}

/**
 * Has `read` look at a store file, which stays as it is.
 * @throws StoreUnusable for a file that cannot be read as a store; what `read` throws
 */
export async function readingFile<Result>(
  path: string,
  read: (place: Place, database: DatabaseSync) => Promise<Result>,
): Promise<Result> {
  const database = openToRead(path);
  const absolute = realPath(path);
  try {
    return await read(filePlace(database, absolute), database);
  } finally {
    // SQLite must not fold the log in when it closes.
    closeUnfolded(absolute, () => database.close());
  }
}

/** @throws StoreUnusable where the file cannot be read to its end */
export async function reportOnFile(place: Place): Promise<StoreReport> {
  try {
    return await reportOn(place);
  } catch (error) {
    throw unusable(place.name, error);
  }
}

/** The sound items of a kind, in the order of their registration; changes no file. */
export function readItems<K extends Kind>(path: string, kind: K): readonly Item<K>[] {
  const file = openToRead(path);
  try {
    const isWhole = wholeness(registered);
    const at = registered.names.indexOf('record');
    const select = file.prepare(
      `SELECT ${registered.names.join(', ')} FROM registered WHERE kind = ? ORDER BY position`,
    );
    select.setReturnArrays(true);
    const rows = select.all(kind) as unknown as readonly Value[][];
    return rows.filter(isWhole).map((row) => JSON.parse(String(row[at])) as Item<K>);
  } catch (error) {
    throw unusable(path, error);
  } finally {
    closeUnfolded(realPath(path), () => file.close());
  }
}

/** Opens a store file and changes nothing in it. */
export function openToRead(path: string): DatabaseSync {
  const absolute = realPath(path);
  let database: DatabaseSync | undefined;
  try {
    // SQLite would wait for the other end of a pipe.
    if (statSync(absolute, { throwIfNoEntry: false })?.isFile() !== true) {
      throw new StoreUnusable(
        `there is no file ${absolute}`,
        'name the file of a store or a backup',
      );
    }
    accessSync(absolute, constants.R_OK);
    const found = isOpenHere(absolute) ? undefined : logDamage(absolute);
    if (found !== undefined) throw damagedStore(absolute, found);
    database = connectToRead(absolute);
    expectOurs(database, absolute);
    return database;
  } catch (error) {
    // Not where the log is damaged: any connection would write an index of what is left of it, by which the
    // rest is not missed any more.
    const opened = database;
    if (opened !== undefined) closeUnfolded(absolute, () => opened.close());
    throw error instanceof StoreUnusable ? error : unusable(absolute, error);
  }
}

/** What `read` finds in a file that nobody writes; undefined where it is no sound store. A log is not read. */
export function glance<Result>(
  path: string,
  read: (database: DatabaseSync) => Result,
): Result | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(immutable(path));
    return read(database);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

/** SQLite locks nothing, and makes nothing beside what may be another's. */
function immutable(path: string): URL {
  const url = pathToFileURL(path);
  url.search = 'mode=ro&immutable=1';
  return url;
}

/** A connection that may write removes log and index when it closes; a read-only connection leaves them. */
function connectToRead(path: string): DatabaseSync {
  const timeout = 5000;
  if (mayWrite(path)) return new DatabaseSync(pathToFileURL(path), { timeout });
  // Where nobody has it open, SQLite would make a log and an index that nobody may write to: no server could
  // open it from then on.
  const isAlone = ['-wal', '-shm'].every((suffix) => identityOf(path + suffix) === undefined);
  const url = isAlone ? immutable(path) : pathToFileURL(path);
  return new DatabaseSync(url, { readOnly: true, timeout });
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
