// Owns the verb `store verify`, and printing a store file's kind, rows and damage.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { instant } from '../../lib/clock.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import { exitCodes, storeUnusable, unwritable } from '../../server/exit.ts';
import { masterKeyOf, siteOf } from '../../server/open_store.ts';
import type { StoreReport } from '../../store/care.ts';
import { storeAt } from '../../store/open.ts';
import { verifyFile } from '../../store/sqlite/file/read.ts';
import { createKeyring } from '../../token/keyring.ts';
import { expectDurableStore } from '../open_store.ts';
import { printResult, type VerbOptions } from '../output.ts';
import { configOf } from '../programmes.ts';
import { sheet } from '../table.ts';

/** Damage is part of the result; then the exit code is 4. */
export async function verify(file: string | undefined, options: VerbOptions): Promise<void> {
  const report = await (file === undefined ? verifyConfigured(options) : verifyFile(file));
  const isSound = report.damage.length === 0;
  const trial = isSound && file !== undefined ? tryRestore(file, report) : Promise.resolve('');
  // What was read is told also where there is no room for a trial.
  const [tried] = await Promise.allSettled([trial]);
  const outcome = tried.status === 'fulfilled' ? tried.value : ' A trial of its restore failed.';
  const verdict = isSound
    ? `The store is sound.${outcome}`
    : 'The store is damaged: restore a backup.';
  await printResult(options, viewStore(report), `${verdict}\n\n${storeSheet(report)}`);
  await trial;
  // The damage is printed already.
  if (!isSound) throw storeUnusable('');
}

/** Restores a backup into a file of its own, and opens that as a server does. */
async function tryRestore(backup: string, { environment }: StoreReport): Promise<string> {
  let folder: string | undefined;
  try {
    // Only its owner can read it; it is where the system keeps large files (TMPDIR).
    folder = mkdtempSync(join(tmpdir(), 'jetway-restore-'));
    const site = storeAt({ kind: 'file', path: join(folder, 'jetway.db') });
    await site.care?.restore(backup, environment);
    await (await site.open({ environment })).close();
    return ' A restore of it was tried elsewhere: that opens.';
  } catch (error) {
    throw unwritable(error, exitCodes.failed, `a restore cannot be tried in ${tmpdir()}`);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

async function verifyConfigured(options: VerbOptions): Promise<StoreReport> {
  const config = configOf(options);
  const care = expectDurableStore(config);
  // A file may be looked at where its key is not; servers of a shared store cannot do without.
  if (siteOf(config).masterKey !== 'brought') return care.verify();
  return care.verify({ keyCheck: createKeyring(masterKeyOf(config)).keyCheck });
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
    ...(report.server && { server: report.server, warnings: report.warnings ?? [] }),
  };
}

export function storeSheet(report: StoreReport): string {
  const { path, size, schema, environment, recordedTime } = report;
  return sheet([
    [report.server === undefined ? 'file' : 'store', [path]],
    ['size', [`${size} bytes`]],
    ['schema', [String(schema)]],
    ['environment', [environment]],
    ['last time recorded', recordedTime === undefined ? [] : [dateText(recordedTime)]],
    ['rows', rowsOf(report.counts)],
    ...Object.entries(report.server ?? {}).map(([name, fact]) => [name, [fact]] as const),
    ['to be mended', report.warnings ?? []],
    ['damage', report.damage],
  ]);
}

/** One line a table: `12 client`. */
export function rowsOf(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([table, count]) => `${count} ${table}`);
}
