// Owns how a store file is shown: what it is, what is in it, and what is wrong with it.

import { instant } from '../../lib/clock.ts';
import type { StoreReport } from '../../store/care.ts';
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
