// Owns the verb `store copy`, which moves a store with all that it has granted.

import { resolve } from 'node:path';

import type { Config } from '../../config/config.ts';
import { refuseUsage, wrongUsage } from '../../server/exit.ts';
import { masterKeyOf, siteOf } from '../../server/open_store.ts';
import type { Counts } from '../../store/admin/carry.ts';
import { copyStore } from '../../store/admin/copy.ts';
import { locationFault, readStoreLocation, type StoreSite } from '../../store/open.ts';
import { createKeyring } from '../../token/keyring.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { copyOptions } from '../grammar/rows.ts';
import { auditCommand } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { withProgress } from '../progress.ts';
import { rowsOf } from './view.ts';

/** The configured store stands in for whichever end is not named. */
export async function copy(options: GivenWithConfig<typeof copyOptions>): Promise<void> {
  const { from, to } = options;
  refuseUsage([...faultsOf('--from', from), ...faultsOf('--to', to)]);
  const config = configOf(options);
  const [source, target] = [siteNamed(config, from), siteNamed(config, to)];
  if (source.name === target.name) throw wrongUsage('--from and --to are the same store');
  auditCommand(config);
  const counts = await withProgress('copying the store', undefined, () =>
    carry(config, source, target),
  );
  const done =
    counts === undefined
      ? `An earlier copy of ${source.name} to ${target.name} is completed.`
      : `The store is in ${target.name} now: ${rowsOf(counts).join(', ')}.`;
  return printResult(
    options,
    { from: source.name, to: target.name, counts: counts ?? null },
    [
      done,
      `Codes and tokens live on, with the same master key. ${source.name} is marked as moved, and opens in no Jetway.`,
    ].join('\n'),
  );
}

async function carry(
  config: Config,
  { move: source }: StoreSite,
  { move: target }: StoreSite,
): Promise<Counts | undefined> {
  if (source === undefined || target === undefined) {
    throw wrongUsage('a store in memory ends with its server: name file:PATH or postgres://');
  }
  const { keyCheck } = createKeyring(masterKeyOf(config));
  const { environment } = config;
  const departure = await source.leave();
  try {
    const arrival = await target.arrive(environment);
    try {
      return await copyStore(departure, arrival, { environment, keyCheck });
    } finally {
      arrival.close();
    }
  } finally {
    departure.close();
  }
}

function faultsOf(option: string, text: string | undefined): readonly string[] {
  const fault = text === undefined ? undefined : locationFault(text);
  return fault === undefined ? [] : [`${option}: ${fault}`];
}

function siteNamed(config: Config, text: string | undefined): StoreSite {
  if (text === undefined) return siteOf(config);
  return siteOf({ ...config, store: readStoreLocation(text, (path) => resolve(path)) });
}
