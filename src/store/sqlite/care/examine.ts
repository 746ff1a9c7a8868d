// Owns the report on a store file that this process does not serve from: its schema, row counts and damage.

import { accessSync, constants, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { StoreReport } from '../../care.ts';
import { factsIn } from '../../carry/tables.ts';
import { type Item, type Kind, kindNames } from '../../kinds.ts';
import { type Value, wholeness } from '../../sql/table.ts';
import { registered } from '../../sql/tables.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { identityOf, isOpenHere, realPath } from '../file/identity.ts';
import { logDamage } from '../file/log.ts';
import { closeUnfolded } from '../file/open.ts';
import { expectOurs, unusable } from '../file/refusals.ts';
import { metaOf } from '../meta.ts';
import { schemaVersion } from '../schema.ts';
import { allDamage } from './check.ts';

/**
 * Reads a whole store file, which a server may have open.
 * @throws StoreUnusable for a file that cannot be read as a store.
 */
export function verifyStore(path: string): StoreReport {
  const file = openToRead(path);
  const absolute = realPath(path);
  try {
    return reportOn(file, absolute);
  } finally {
    // A report changes no file: SQLite must not fold the log in when it closes.
    closeUnfolded(absolute, () => file.close());
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
  if (identityOf(absolute) === undefined) {
    throw new StoreUnusable(`there is no file ${absolute}`, 'name the file of a store or a backup');
  }
  try {
    accessSync(absolute, constants.R_OK);
    const found = isOpenHere(absolute) ? undefined : logDamage(absolute);
    if (found !== undefined) throw damagedStore(absolute, found);
    database = new DatabaseSync(pathToFileURL(absolute), options(absolute));
    expectOurs(database, absolute);
    return database;
  } catch (error) {
    closeUnfolded(absolute, () => database?.close());
    throw error instanceof StoreUnusable ? error : unusable(absolute, error);
  }
}

/** A connection that may write removes log and index when it closes; a read-only connection leaves them. */
function options(path: string): { readOnly: boolean; timeout: number } {
  const timeout = 5000;
  try {
    accessSync(path, constants.W_OK);
    return { readOnly: false, timeout };
  } catch {
    return { readOnly: true, timeout };
  }
}

/** The report on an open file, as of one moment. */
export function reportOn(database: DatabaseSync, path: string): StoreReport {
  database.exec('BEGIN');
  try {
    const { keyCheck: _keyCheck, ...facts } = factsIn(metaOf(database).get);
    return {
      path,
      size: statSync(path).size,
      schema: schemaVersion,
      ...facts,
      counts: countsOf(database),
      damage: allDamage(database),
    };
  } catch (error) {
    throw unusable(path, error);
  } finally {
    database.exec('ROLLBACK');
  }
}

function countsOf(database: DatabaseSync): Readonly<Record<string, number>> {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'meta');
  const count = (rows: string): number =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${rows}`).get()?.['n']);
  const counts = names.flatMap((name) =>
    name === 'registered'
      ? kindNames.map((kind) => [kind, count(`registered WHERE kind = '${kind}'`)] as const)
      : [[name, count(name)] as const],
  );
  return Object.fromEntries(counts.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
