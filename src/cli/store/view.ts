// Owns the verb `store verify`, and printing a store file's kind, rows and damage.

import { instant } from '../../lib/clock.ts';
import type { StoreReport } from '../../store/care.ts';
import { storeAt } from '../../store/open.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { expectDurableStore } from '../open_store.ts';
import { printResult, type VerbOptions } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateOrNull, dateText, sheet } from '../table.ts';

/** Damage is part of the result; then the exit code is 4. */
export async function verify(file: string | undefined, options: VerbOptions): Promise<void> {
  const copy = file === undefined ? undefined : storeAt({ kind: 'file', path: file }).care;
  const report = (copy ?? expectDurableStore(configOf(options))).verify();
  const isSound = report.damage.length === 0;
  const verdict = isSound ? 'The store is sound.' : 'The store is damaged: restore a backup.';
  await printResult(options, viewStore(report), `${verdict}\n\n${storeSheet(report)}`);
  // The damage is printed already.
  if (!isSound) throw new CommandError(exitCodes.store, '');
}

export function viewStore(report: StoreReport): object {
  const { path, size, schema, environment, createdAt, recordedTime } = report;
  return {
    path,
    size,
    schema,
    environment,
    created_at: dateText(instant(Date.parse(createdAt))),
    recorded_time: dateOrNull(recordedTime),
    counts: report.counts,
    damage: report.damage,
  };
}

export function storeSheet(report: StoreReport): string {
  const { path, size, schema, environment, recordedTime } = report;
  return sheet([
    ['file', [path]],
    ['size', [`${size} bytes`]],
    ['schema', [String(schema)]],
    ['environment', [environment]],
    ['last time recorded', recordedTime === undefined ? [] : [dateText(recordedTime)]],
    ['rows', rowsOf(report.counts)],
    ['damage', report.damage],
  ]);
}

/** One line a table: `12 client`. */
export function rowsOf(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([table, count]) => `${count} ${table}`);
}
