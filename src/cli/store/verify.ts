// Owns the verb `store verify`.

import { storeAt } from '../../store/open.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { expectDurableStore } from '../open_store.ts';
import { type OutputOptions, print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { storeSheet, viewStore } from './view.ts';

export interface VerifyStoreOptions extends OutputOptions {
  readonly config: string;
}

/** `jetway store verify [FILE]`. Damage is told like all else, and ends with exit code 4. */
export async function verify(file: string | undefined, options: VerifyStoreOptions): Promise<void> {
  const copy = file === undefined ? undefined : storeAt({ kind: 'file', path: file }).care;
  const report = (copy ?? expectDurableStore(configOf(options))).verify();
  const sound = report.damage.length === 0;
  const verdict = sound ? 'The store is sound.' : 'The store is damaged: restore a backup.';
  if (options.json === true) await printJson(viewStore(report));
  else await print(`${verdict}\n\n${storeSheet(report)}`);
  // What is wrong has been told.
  if (!sound) throw new CommandError(exitCodes.store, '');
}
