// Owns the verb `store restore`.

import { shownPath } from '../../config/programme_files.ts';
import { storeAt } from '../../store/open.ts';
import { exitCodes, expectYes, unwritable } from '../exit.ts';
import { auditCommand, expectDurableStore } from '../open_store.ts';
import { printResult, type VerbOptions } from '../output.ts';
import { configOf } from '../programmes.ts';
import { withProgress } from '../progress.ts';
import { rowsOf, storeSheet, viewStore } from './view.ts';

export interface RestoreStoreOptions extends VerbOptions {
  readonly yes?: boolean;
}

export async function restore(file: string, options: RestoreStoreOptions): Promise<void> {
  expectYes(
    options,
    'what came into the store since the backup would be put aside, and all codes and tokens would be void',
  );
  const config = configOf(options);
  const care = expectDurableStore(config);
  auditCommand(config);
  const restoring = () => care.restore(file, config.environment);
  const report = await withProgress('restoring the store', undefined, restoring).catch(
    (error: unknown) => {
      const what = `the store ${storeAt(config.store).name} cannot be replaced`;
      throw unwritable(error, exitCodes.store, what);
    },
  );
  const { replaced, voided } = report;
  const told = [
    `The store is as it was when ${shownPath(file)} was made. It opens with the master key of that time.`,
    'Clients, members and keys are as they were then: disable, remove or retire again what you did since.',
    `All codes and tokens are void, so that none comes back: ${rowsOf(voided).join(', ')}.`,
    ...(replaced === undefined ? [] : [`What was there before is kept as ${shownPath(replaced)}.`]),
  ];
  return printResult(
    options,
    { ...viewStore(report), replaced: replaced ?? null, voided },
    [...told, '', storeSheet(report)].join('\n'),
  );
}
