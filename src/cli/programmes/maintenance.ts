// Owns the verbs `maintenance on` and `maintenance off`.

import { milliseconds } from '../../lib/clock.ts';
import { formatDuration, dateText } from '../../lib/duration.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { type Maintenance, wholeProgramme } from '../../oauth/maintenance.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { maintenanceOptions } from '../grammar/rows.ts';
import { withStore } from '../open_store.ts';
import { printResult, type VerbOptions } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';

const usualWait = milliseconds(60_000);

/** Succeeds also if the programme is in maintenance already: only what callers wait may change. */
export async function maintenanceOn(
  name: string,
  options: GivenWithConfig<typeof maintenanceOptions>,
): Promise<void> {
  let before: Maintenance | undefined;
  const config = configOf(options);
  // Reads no programme file: it may have faults, and a server may have loaded it before.
  const [programme = name as ProgrammeId] = selectProgrammes(config, name);
  const held = await withStore(config, async ({ store, clock }) => {
    const [now] = await store.changeAll('maintenance', { programme }, (items) => {
      [before] = items;
      const { createdAt = clock.now(), retryAfter = usualWait } = before ?? {};
      return [
        {
          programme,
          part: wholeProgramme,
          createdAt,
          retryAfter: options.retryAfter ?? retryAfter,
        },
      ];
    });
    return now;
  });
  if (held === undefined) throw new Error('the store keeps no maintenance that it was given');
  const already = before === undefined ? '' : ` already, since ${dateText(before.createdAt)}`;
  await printResult(
    options,
    { ...viewOf(name, held), was_on: before !== undefined },
    `${name} is in maintenance${already}: callers are told to come back after ${formatDuration(held.retryAfter)}`,
  );
}

/** Succeeds also if the programme is in service, or in maintenance without its file. */
export async function maintenanceOff(name: string, options: VerbOptions): Promise<void> {
  const config = configOf(options);
  const wasOn = await withStore(config, ({ store, clock }) =>
    store.remove('maintenance', name as ProgrammeId, wholeProgramme, clock.now()),
  );
  if (!wasOn) selectProgrammes(config, name);
  await printResult(
    options,
    { ...viewOf(name, undefined), was_on: wasOn },
    `${name} is in service${wasOn ? ' again' : ' already'}`,
  );
}

function viewOf(programme: string, held: Maintenance | undefined): object {
  return {
    programme,
    maintenance: held === undefined ? 'off' : 'on',
    since: held === undefined ? null : dateText(held.createdAt),
    retry_after: held === undefined ? null : formatDuration(held.retryAfter),
  };
}
