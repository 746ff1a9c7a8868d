// Owns the verb `store backup`.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Config } from '../../config/config.ts';
import { shownPath } from '../../config/programme_files.ts';
import { endingOf, say } from '../../server/ending.ts';
import { exitCodes, failed, refuseUsage, unwritable } from '../../server/exit.ts';
import { backUpInto, type Pruned } from '../../store/admin/backup_folder.ts';
import { noteBackup } from '../../store/backup_note.ts';
import type { StoreCare, StoreReport } from '../../store/care.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { backupOptions } from '../grammar/rows.ts';
import { auditCommand, expectDurableStore, withStore } from '../open_store.ts';
import { printFile, printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { withProgress } from '../progress.ts';
import { storeSheet, viewStore } from './view.ts';

/** Servers may use the store meanwhile. */
export async function backup(
  file: string,
  options: GivenWithConfig<typeof backupOptions>,
): Promise<void> {
  const { force = false, json = false, keep } = options;
  const config = configOf(options);
  const care = expectDurableStore(config);
  if (keep === undefined && file !== '-' && !force && existsSync(file)) {
    const message = `${file} is there already: name another file, or add --force to replace it`;
    throw failed(message);
  }
  // Whoever has a copy has what is in the store.
  auditCommand(config);
  if (file === '-') {
    await backupToOutput(care, json);
    return note(config);
  }
  const report = await made<StoreReport & Partial<Pruned>>(file, () =>
    keep === undefined ? care.backup(file, { overwrite: force }) : backUpInto(file, keep, care),
  );
  await note(config);
  const { removed, left } = report;
  const told = [
    toldOf(report, shownPath(report.path)),
    ...(removed ?? []).map((name) => `${name} is removed.`),
    ...(left ?? []).map(
      (name) => `${name} is left: it is no backup of this store, or cannot be removed.`,
    ),
  ];
  return printResult(
    options,
    { ...viewStore(report), ...(removed && { removed, left }) },
    told.join('\n'),
  );
}

/** Servers tell its age. The backup is whole, whether it can be noted or not. */
async function note(config: Config): Promise<void> {
  try {
    await withStore(config, ({ store, clock }) => noteBackup(store, clock.now()));
  } catch (error) {
    say(`the backup is made, and cannot be noted in the store: ${endingOf(error).message}`);
  }
}

function made<Report>(file: string, make: () => Promise<Report>): Promise<Report> {
  return withProgress('copying the store', undefined, make).catch((error: unknown) => {
    throw unwritable(error, exitCodes.failed, `the backup cannot be written to ${shownPath(file)}`);
  });
}

function toldOf(report: StoreReport, target: string): string {
  const told = [
    `The store is backed up to ${target}, and what is in the backup is sound.`,
    'The master key is not in it: without a copy of that, kept apart, it is of no use.',
  ];
  return [...told, '', storeSheet(report)].join('\n');
}

/** Writes to standard output after the backup was checked; the report goes to standard error. */
async function backupToOutput(care: StoreCare, json: boolean): Promise<void> {
  refuseUsage([
    ...(json ? ['--json and - do not go together: standard output is the backup'] : []),
    ...(process.stdout.isTTY ? ['- writes the backup to standard output: pipe it somewhere'] : []),
  ]);
  // A folder that only its owner can read, where the system keeps large files (TMPDIR).
  const folder = mkdtempSync(join(tmpdir(), 'jetway-backup-'));
  try {
    const file = join(folder, 'backup.db');
    const report = await made(file, () => care.backup(file));
    await printFile(report.path);
    console.error(toldOf({ ...report, path: '-' }, 'standard output'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
