// Owns the verb `store restore`: from a backup, or of a database that was brought back by its own means.

import type { Config } from '../../config/config.ts';
import { shownPath } from '../../config/programme_files.ts';
import { exitCodes, expectYes, unwritable, wrongUsage } from '../../server/exit.ts';
import type { RestoreReport, StoreCare } from '../../store/care.ts';
import { storeAt } from '../../store/open.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { restoreOptions } from '../grammar/rows.ts';
import { auditCommand, expectDurableStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { withProgress } from '../progress.ts';
import { rowsOf, storeSheet, viewStore } from './view.ts';

type RestoreStoreOptions = GivenWithConfig<typeof restoreOptions>;

export async function restore(
  file: string | undefined,
  options: RestoreStoreOptions,
): Promise<void> {
  const config = configOf(options);
  const care = expectDurableStore(config);
  if (file === undefined) return restoreInPlace(config, care, options);
  expectYes(options, `${care.losing}, and all codes and tokens would be void`);
  auditCommand(config);
  const restoring = () => care.restore(file, config.environment);
  const report = await withProgress('restoring the store', undefined, restoring).catch(
    (error: unknown) => {
      const what = `the store ${storeAt(config.store).name} cannot be replaced`;
      throw unwritable(error, exitCodes.store, what);
    },
  );
  const { replaced } = report;
  return tell(options, report, [
    `The store is as it was when ${shownPath(file)} was made. It opens with the master key of that time.`,
    'Clients, members and keys are as they were then: disable, remove or retire again what you did since.',
    voidedLine(report),
    ...(replaced === undefined ? [] : [`What was there before is kept as ${shownPath(replaced)}.`]),
  ]);
}

async function restoreInPlace(
  config: Config,
  { restoreInPlace: voiding }: StoreCare,
  options: RestoreStoreOptions,
): Promise<void> {
  if (voiding === undefined) {
    throw wrongUsage('--in-place is for a PostgreSQL store: name the file of a backup');
  }
  const { keepGranted = false } = options;
  expectYes(
    options,
    keepGranted
      ? 'codes that were spent, and tokens that were revoked, would be valid again if any of it was lost'
      : 'all codes and tokens would be void',
  );
  auditCommand(config);
  const report = await voiding(config.environment, { keepGranted });
  return tell(options, report, [
    'The history of the database is taken for the history of the store.',
    keepGranted ? 'All codes and tokens are as they were.' : voidedLine(report),
  ]);
}

function voidedLine({ voided }: RestoreReport): string {
  return `All codes and tokens are void, so that none comes back: ${rowsOf(voided).join(', ')}.`;
}

function tell(
  options: RestoreStoreOptions,
  report: RestoreReport,
  told: readonly string[],
): Promise<void> {
  const { replaced = null, voided } = report;
  return printResult(
    options,
    { ...viewStore(report), replaced, voided },
    [...told, '', storeSheet(report)].join('\n'),
  );
}
