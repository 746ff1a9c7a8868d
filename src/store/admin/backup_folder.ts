// Owns a folder of dated backups: the name of the next one, whether there is room for it, and which go.

import { lstatSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import type { Instant } from '../../lib/clock.ts';
import { fileDate } from '../../lib/duration.ts';
import { makeFolder } from '../../lib/make_folder.ts';
import { type StoreCare, type StoreReport, StoreUnwritable } from '../care.ts';
import { identityOf } from '../sqlite/file/identity.ts';
import { metaOf } from '../sqlite/meta.ts';

/** In UTC: in the order of their names they are in the order of their times. */
const date = String.raw`\d{8}T\d{6}\.\d{3}Z`;
const nameForm = new RegExp(`^jetway-${date}\\.db$`);
/** What a backup that was killed has left; nothing of it ever had a name. */
const leftoverForm = new RegExp(`^jetway-${date}\\.db\\.[\\w-]+\\.new(?:-wal|-shm|-journal)?$`);
/** Milliseconds: a file of that name that is younger may be of a backup under way. */
const leftoverAge = 86_400_000;

export interface Pruned {
  readonly removed: readonly string[];
  /** Named as a backup, and not known to be of this store, or not removed by the system: for people. */
  readonly left: readonly string[];
}

/**
 * Makes a dated backup in a folder, which is made if it is missing, and keeps so many of the store there.
 * None is removed before the new one is whole.
 * @throws StoreUnwritable, also where there is no room for it; StoreUnusable
 */
export async function backUpInto(
  folder: string,
  keep: number,
  care: Pick<StoreCare, 'backup' | 'backupSize'>,
): Promise<StoreReport & Pruned> {
  makeFolder(folder, 0o700);
  const needed = await care.backupSize();
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < needed) {
    const [wanted, free] = [needed, bavail * bsize].map((bytes) => (bytes / 1e6).toFixed(1));
    throw new StoreUnwritable(`it takes some ${wanted} MB where ${free} MB are free`);
  }
  const report = await care.backup(nextBackup(folder));
  return { ...report, ...pruneBackups(report, keep) };
}

/** A path in the folder that no file has. */
function nextBackup(folder: string): string {
  for (let at = Date.now(); ; at += 1) {
    const path = join(folder, `jetway-${fileDate(at as Instant)}.db`);
    if (identityOf(path) === undefined) return path;
  }
}

/**
 * Removes the oldest backups of a store, until with the one that was just made `keep` are left. The names
 * tell which are the oldest; that one stays whatever its name says, as the clock may have been wrong.
 * Backups of another store, and files that are none, stay.
 */
function pruneBackups({ path: made, ...store }: StoreReport, keep: number): Pruned {
  const folder = dirname(made);
  const entries = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isFile());
  const names = entries.map(({ name }) => name);
  const removed: string[] = [];
  const left: string[] = [];
  const own = names.filter((name) => {
    if (!nameForm.test(name) || name === basename(made)) return false;
    const isOwn = originOf(join(folder, name)) === `${store.environment} ${store.createdAt}`;
    if (!isOwn) left.push(name);
    return isOwn;
  });
  for (const name of own.toSorted().slice(0, Math.max(0, own.length - (keep - 1)))) {
    const isGone = remove(join(folder, name));
    (isGone ? removed : left).push(name);
  }
  for (const name of names.filter((one) => leftoverForm.test(one))) {
    const path = join(folder, name);
    const { mtimeMs = Infinity } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > leftoverAge && remove(path)) removed.push(name);
  }
  return { removed, left };
}

/** The store that a backup is of, also one of another schema; undefined for a file that is no sound backup. */
function originOf(path: string): string | undefined {
  let database: DatabaseSync | undefined;
  try {
    // A backup is one file that nobody writes: nothing is locked or made beside what may be another's.
    const url = pathToFileURL(path);
    url.search = 'mode=ro&immutable=1';
    database = new DatabaseSync(url);
    const meta = metaOf(database);
    return `${meta.get('environment')} ${meta.get('created_at')}`;
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function remove(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}
