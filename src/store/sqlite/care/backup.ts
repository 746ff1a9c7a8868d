// Owns copying a store file while a server writes to it.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import type { BackupOptions, StoreReport } from '../../care.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { makeDraft, placeNew, placeOver, removeDraft } from '../file/disk.ts';
import { identityOf, realPath } from '../file/identity.ts';
import { openToRead, reportOn } from './examine.ts';

/**
 * Copies the store at `path` to `target` as of one moment, while servers write to it. The copy is one
 * file of mode 0600. It is checked as a whole before it is renamed to `target`; an existing file stays
 * until then. Returns a report of the copy.
 * @throws StoreUnusable where there is no sound store at `path`, or a file at `target`.
 */
export async function backupStore(
  path: string,
  target: string,
  options: BackupOptions = {},
): Promise<StoreReport> {
  const store = realPath(path);
  if (identityOf(store) !== undefined && identityOf(store) === identityOf(resolve(target))) {
    throw new StoreUnusable(`${target} is the store itself`, 'name another file for the backup');
  }
  let source: DatabaseSync | undefined;
  try {
    return await placeBackup(store, target, options, async (draft) => {
      source = openToRead(store);
      await copyInto(source, draft);
    });
  } finally {
    source?.close();
  }
}

/**
 * Has `fill` write a store file, checks it as a whole, and gives it its name.
 * @param store how messages name the store
 * @throws StoreUnusable
 */
export async function placeBackup(
  store: string,
  target: string,
  { overwrite = false }: BackupOptions,
  fill: (draft: string) => Promise<void>,
): Promise<StoreReport> {
  const absolute = resolve(target);
  expectFree(absolute, overwrite);
  const draft = makeDraft(absolute);
  try {
    await fill(draft);
    const report = { ...inspect(draft), path: absolute };
    if (report.damage.length > 0) throw damagedStore(store, report.damage.join('; '));
    if (overwrite) placeOver(draft, absolute);
    else if (!placeNew(draft, absolute)) throw isTaken(absolute);
    return report;
  } finally {
    removeDraft(draft);
  }
}

/** Copies an open database into `draft`, which is then one file without a log. */
export async function copyInto(source: DatabaseSync, draft: string): Promise<void> {
  // All pages in one step, off this thread: a commit between two steps restarts the copy, under load
  // for ever. A reader does not block writers.
  await backup(source, draft, { rate: 0x7fff_ffff });
  const copy = new DatabaseSync(draft);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

function inspect(draft: string): StoreReport {
  const copy = new DatabaseSync(draft);
  try {
    return reportOn(copy, draft);
  } finally {
    copy.close();
  }
}

function expectFree(target: string, overwrite: boolean): void {
  if (identityOf(`${target}-wal`) !== undefined) {
    throw new StoreUnusable(
      `${target} has a log: it is a store, not a backup`,
      'name another file for the backup',
    );
  }
  if (!overwrite && statSync(target, { throwIfNoEntry: false }) !== undefined)
    throw isTaken(target);
}

function isTaken(target: string): StoreUnusable {
  return new StoreUnusable(`${target} is there already`, 'name another file, or have it replaced');
}
