// Owns writing a backup, which is a store file whatever it is made from: whole, checked, or not at all.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import type { BackupOptions, StoreReport } from '../care.ts';
import { placeNew, placeOver, withDraft } from '../sqlite/file/disk.ts';
import { usingDraft } from '../sqlite/file/draft.ts';
import { identityOf } from '../sqlite/file/identity.ts';
import { reportOnFile } from '../sqlite/file/read.ts';
import { expectFilePath } from '../sqlite/file/refusals.ts';
import { damagedStore, StoreUnusable } from '../unusable.ts';

/**
 * Has `fill` write a store file of mode 0600 as of one moment, while servers write to the store. It is checked
 * as a whole before it is renamed to `target`; an existing file stays until then.
 * @param store how messages name the store
 * @returns a report on the backup
 * @throws StoreUnusable where it is damaged, or a file is at `target`
 */
export async function backupStore(
  store: string,
  target: string,
  { overwrite = false }: BackupOptions,
  fill: (draft: string) => Promise<unknown>,
): Promise<StoreReport> {
  const absolute = resolve(target);
  expectFree(absolute, overwrite);
  return withDraft(absolute, async (draft) => {
    await fill(draft);
    const report = { ...(await usingDraft(draft, reportOnFile)), path: absolute };
    if (report.damage.length > 0) throw damagedStore(store, report.damage.join('; '));
    if (overwrite) placeOver(draft, absolute);
    else if (!placeNew(draft, absolute)) throw isTaken(absolute);
    return report;
  });
}

function expectFree(target: string, overwrite: boolean): void {
  if (identityOf(`${target}-wal`) !== undefined) {
    throw new StoreUnusable(
      `${target} has a log: it is a store, not a backup`,
      'name another file for the backup',
    );
  }
  const [, beside] = /^(.+)-(?:wal|shm|journal)$/.exec(target) ?? [];
  if (beside !== undefined && identityOf(beside) !== undefined) {
    throw new StoreUnusable(
      `SQLite would take ${target} for the log of ${beside}`,
      'name another file for the backup',
    );
  }
  if (!overwrite && statSync(target, { throwIfNoEntry: false }) !== undefined)
    throw isTaken(target);
  // A rename would put the backup in the place of a device.
  expectFilePath(target);
}

function isTaken(target: string): StoreUnusable {
  return new StoreUnusable(`${target} is there already`, 'name another file, or have it replaced');
}
