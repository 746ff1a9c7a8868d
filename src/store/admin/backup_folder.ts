// Owns a folder of dated backups: the name of the next one, whether there is room for it, and which go.

import { lstatSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { Instant } from '../../lib/clock.ts';
import { fileDate } from '../../lib/duration.ts';
import { makeFolder } from '../../lib/make_folder.ts';
import { type StoreCare, type StoreReport, StoreUnwritable } from '../care.ts';
import { identityOf } from '../sqlite/file/identity.ts';
import { glance } from '../sqlite/file/read.ts';
import { metaOf } from '../sqlite/meta.ts';
import { StoreUnusable } from '../unusable.ts';

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
 * None is removed before the new one is whole, and none that came while it was made: of any number that run at
 * once none takes another's away.
 * @throws StoreUnwritable, also where there is no room for it; StoreUnusable
 */
export async function backUpInto(
  folder: string,
  keep: number,
  care: Pick<StoreCare, 'backup' | 'backupSize'>,
): Promise<StoreReport & Pruned> {
  makeFolder(folder, 0o700);
  const before = readdirSync(folder);
  const needed = await care.backupSize();
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < needed) {
    const [wanted, free] = [needed, bavail * bsize].map((bytes) => (bytes / 1e6).toFixed(1));
    throw new StoreUnwritable(`it takes some ${wanted} MB where ${free} MB are free`);
  }
  const report = await backUpDated(folder, care);
  return { ...report, ...pruneBackups(report, keep, before) };
}

/** Under a name that no file has. */
async function backUpDated(
  folder: string,
  { backup }: Pick<StoreCare, 'backup'>,
): Promise<StoreReport> {
  for (let at = Date.now(); ; at += 1) {
    const path = join(folder, `jetway-${fileDate(at as Instant)}.db`);
    if (identityOf(path) !== undefined) continue;
    try {
      return await backup(path);
    } catch (error) {
      // Another backup may have taken the name meanwhile.
      if (!(error instanceof StoreUnusable) || identityOf(path) === undefined) throw error;
    }
  }
}

/**
 * Removes the oldest of the files that were there `before`, if they are backups of the store, until with the one
 * that was just made `keep` are left. The names tell which are the oldest. A later name than the new one's is of
 * a clock that was ahead: such a file is older than its name says.
 * Backups of another store, and files that are none, stay.
 */
function pruneBackups(
  { path: made, ...store }: StoreReport,
  keep: number,
  before: readonly string[],
): Pruned {
  const folder = dirname(made);
  const isFile = (name: string): boolean =>
    lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
  const names = before.filter(isFile).toSorted();
  const removed: string[] = [];
  const left: string[] = [];
  const own = names.filter((name) => {
    if (!nameForm.test(name)) return false;
    const isOwn = originOf(join(folder, name)) === `${store.environment} ${store.createdAt}`;
    // Another backup may have removed it meanwhile.
    if (!isOwn && isFile(name)) left.push(name);
    return isOwn;
  });
  const { ahead = [], past = [] } = Object.groupBy(own, (name) =>
    name > basename(made) ? 'ahead' : 'past',
  );
  for (const name of [...ahead, ...past].slice(0, Math.max(0, own.length - (keep - 1)))) {
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
  return glance(path, (database) => {
    const meta = metaOf(database);
    return `${meta.get('environment')} ${meta.get('created_at')}`;
  });
}

function remove(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}
