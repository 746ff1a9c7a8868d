// Owns the verb `store verify`.

import { verifyStore } from '../../store/sqlite/care/examine.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OutputOptions, print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { storePath, storeSheet, viewStore } from './view.ts';

export interface VerifyStoreOptions extends OutputOptions {
  readonly config: string;
}

/** `jetway store verify [FILE]`. Damage is told like all else, and ends with exit code 4. */
export async function verify(file: string | undefined, options: VerifyStoreOptions): Promise<void> {
  const report = verifyStore(file ?? storePath(configOf(options)));
  const sound = report.damage.length === 0;
  const verdict = sound ? 'The store is sound.' : 'The store is damaged: restore a backup.';
  if (options.json === true) await printJson(viewStore(report));
  else await print(`${verdict}\n\n${storeSheet(report)}`);
  // What is wrong has been told.
  if (!sound) throw new CommandError(exitCodes.store, '');
}
