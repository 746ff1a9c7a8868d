// Owns the verb `store backup`.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { shownPath } from '../../config/programme_files.ts';
import { exitCodes, failed, refuseUsage, unwritable } from '../../server/exit.ts';
import type { StoreCare, StoreReport } from '../../store/care.ts';
import { auditCommand, expectDurableStore } from '../open_store.ts';
import { printFile, printResult, type VerbOptions } from '../output.ts';
import { configOf } from '../programmes.ts';
import { withProgress } from '../progress.ts';
import { storeSheet, viewStore } from './view.ts';

export interface BackupStoreOptions extends VerbOptions {
  readonly force?: boolean;
}

/** Servers may use the store meanwhile. */
export async function backup(file: string, options: BackupStoreOptions): Promise<void> {
  const config = configOf(options);
  const care = expectDurableStore(config);
  const { force = false, json = false } = options;
  if (file !== '-' && !force && existsSync(file)) {
    const message = `${file} is there already: name another file, or add --force to replace it`;
    throw failed(message);
  }
  // Whoever has a copy has what is in the store.
  auditCommand(config);
  if (file === '-') return backupToOutput(care, json);
  const report = await copyTo(care, file, force);
  return printResult(options, viewStore(report), toldOf(report, shownPath(report.path)));
}

function copyTo(care: StoreCare, file: string, overwrite: boolean): Promise<StoreReport> {
  const copying = () => care.backup(file, { overwrite });
  return withProgress('copying the store', undefined, copying).catch((error: unknown) => {
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
    const report = await copyTo(care, join(folder, 'backup.db'), false);
    await printFile(report.path);
    console.error(toldOf({ ...report, path: '-' }, 'standard output'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
