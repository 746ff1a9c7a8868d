// Owns how a store file is shown: what it is, what is in it, and what is wrong with it.

import type { Config } from '../../config/config.ts';
import { instant } from '../../lib/clock.ts';
import type { StoreReport } from '../../store/sqlite/care/examine.ts';
import { expectDurableStore } from '../open_store.ts';
import { dateText, sheet } from '../table.ts';

/** A store file as JSON output has it; what is not known is null, so that its shape is one. */
export function viewStore(report: StoreReport): object {
  const { path, size, schema, needsMigration, environment, createdAt, recordedTime } = report;
  return {
    path,
    size,
    schema,
    needs_migration: needsMigration,
    environment,
    created_at: dateText(instant(Date.parse(createdAt))),
    recorded_time: recordedTime === undefined ? null : dateText(recordedTime),
    counts: report.counts,
    damage: report.damage,
  };
}

/** The same for people. */
export function storeSheet(report: StoreReport): string {
  const { path, size, schema, needsMigration, environment, recordedTime } = report;
  const later = needsMigration ? ', brought up to date when it is next opened' : '';
  return sheet([
    ['file', [path]],
    ['size', [`${size} bytes`]],
    ['schema', [`${schema}${later}`]],
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

/** Where the configured store is; ends the command where that is no file. */
export function storePath(config: Config): string {
  expectDurableStore(config);
  return config.store.kind === 'file' ? config.store.path : '';
}
