// Owns the verb `store restore`.

import { shownPath } from '../../config/programme_files.ts';
import { storeAt } from '../../store/open.ts';
import { exitCodes, expectYes, unwritable } from '../exit.ts';
import { expectDurableStore } from '../open_store.ts';
import { type OutputOptions, print, printJson } from '../output.ts';
import { configOf } from '../programmes.ts';
import { rowsOf, storeSheet, viewStore } from './view.ts';

export interface RestoreStoreOptions extends OutputOptions {
  readonly config: string;
  readonly yes?: boolean;
}

/** `jetway store restore FILE --yes`. No server may have the store open. */
export async function restore(file: string, options: RestoreStoreOptions): Promise<void> {
  expectYes(
    options,
    'what came into the store since the backup would be put aside, and all codes and tokens would be void',
  );
  const config = configOf(options);
  const restored = expectDurableStore(config).restore(file, config.environment);
  const report = await restored.catch((error: unknown) => {
    const what = `the store ${storeAt(config.store).name} cannot be replaced`;
    throw unwritable(error, exitCodes.store, what);
  });
  const { replaced, voided } = report;
  if (options.json === true) {
    return printJson({ ...viewStore(report), replaced: replaced ?? null, voided });
  }
  const told = [
    `The store is as it was when ${shownPath(file)} was made. It opens with the master key of that time.`,
    'Clients, members and keys are as they were then: disable, remove or retire again what you did since.',
    `All codes and tokens are void, so that none comes back: ${rowsOf(voided).join(', ')}.`,
    ...(replaced === undefined ? [] : [`What was there before is kept as ${shownPath(replaced)}.`]),
  ];
  return print([...told, '', storeSheet(report)].join('\n'));
}
