// Owns the verb `store backup`.

import { existsSync } from 'node:fs';

import { shownPath } from '../config/programme_files.ts';
import { backupStore } from '../store/file_backup.ts';
import { CommandError, exitCodes } from './exit.ts';
import { type OutputOptions, print, printJson } from './output.ts';
import { storePath, storeSheet, unwritable, viewStore } from './store_view.ts';
import { configOf } from './workplace.ts';

export interface BackupStoreOptions extends OutputOptions {
  readonly config: string;
  readonly force?: boolean;
}

/** `jetway store backup FILE`. Servers that use the store go on meanwhile. */
export async function backup(file: string, options: BackupStoreOptions): Promise<void> {
  const path = storePath(configOf(options));
  const { force = false } = options;
  if (!force && existsSync(file)) {
    const message = `${file} is there already: name another file, or add --force to replace it`;
    throw new CommandError(exitCodes.failed, message);
  }
  const report = await backupStore(path, file, { overwrite: force }).catch((error: unknown) => {
    throw unwritable(error, exitCodes.failed, `the backup cannot be written to ${shownPath(file)}`);
  });
  if (options.json === true) return printJson(viewStore(report));
  const told = [
    `The store is backed up to ${shownPath(report.path)}, and what is in the backup is sound.`,
    'The master key is not in it: without a copy of that, kept apart, it is of no use.',
  ];
  return print([...told, '', storeSheet(report)].join('\n'));
}
