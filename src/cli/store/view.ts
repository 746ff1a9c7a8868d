// Owns the verb `store verify`, and printing a store file's kind, rows and damage.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { masterKeyPath } from '../../config/master_key.ts';
import { shownPath } from '../../config/programme_files.ts';
import { instant } from '../../lib/clock.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import { FaultsError } from '../../lib/fault.ts';
import { exitCodes, storeUnusable, unwritable } from '../../server/exit.ts';
import { isOwnKey, masterKeyOf, siteOf } from '../../server/open_store.ts';
import type { StoreReport } from '../../store/care.ts';
import { storeAt } from '../../store/open.ts';
import { verifyFile } from '../../store/sqlite/file/read.ts';
import { MasterKeyUnusable } from '../../store/unusable.ts';
import { createKeyring, type Keyring } from '../../token/keyring.ts';
import { expectDurableStore } from '../open_store.ts';
import { printResult, type VerbOptions } from '../output.ts';
import { configOf } from '../programmes.ts';
import { sheet } from '../table.ts';

/** Damage is part of the result; then the exit code is 4. */
export async function verify(file: string | undefined, options: VerbOptions): Promise<void> {
  const report = await (file === undefined ? verifyConfigured(options) : verifyFile(file));
  const isSound = report.damage.length === 0;
  // What was read is told also where there is no room for a trial.
  const failedTrial = (trouble: Error): Tried => ({
    ...untried,
    told: ' A trial of its restore failed.',
    trouble,
  });
  const {
    told,
    key: master_key,
    trouble,
  } = isSound && file !== undefined
    ? await tryRestore(file, report, options).catch(failedTrial)
    : untried;
  const verdict = isSound
    ? `The store is sound.${told}`
    : 'The store is damaged: restore a backup.';
  await printResult(
    options,
    { ...viewStore(report), ...(file !== undefined && { master_key }) },
    `${verdict}\n\n${storeSheet(report)}`,
  );
  if (trouble !== undefined) throw trouble;
  // All is printed already.
  if (!isSound || master_key === 'another') throw storeUnusable('');
}

/** What a trial has shown. */
interface Tried {
  readonly told: string;
  /** Whether the configured master key is that of the backup. */
  readonly key: 'fits' | 'another' | 'not_tried';
  /** Why it failed. */
  readonly trouble?: Error;
}

const untried: Tried = { told: '', key: 'not_tried' };

/** Restores a backup into a file of its own, and opens that as a server does. */
async function tryRestore(
  backup: string,
  { environment }: StoreReport,
  options: VerbOptions,
): Promise<Tried> {
  let folder: string | undefined;
  try {
    // Only its owner can read it; it is where the system keeps large files (TMPDIR).
    folder = mkdtempSync(join(tmpdir(), 'jetway-restore-'));
    const site = storeAt({ kind: 'file', path: join(folder, 'jetway.db') });
    await site.care?.restore(backup, environment);
    const store = await site.open({ environment });
    try {
      const opens = ' A restore of it was tried elsewhere: that opens.';
      const key = presentKey(options, environment);
      if ('why' in key) return { told: `${opens} ${key.why}`, key: 'not_tried' };
      const path = shownPath(key.path);
      if (await isOwnKey(store, key.keyring)) {
        return { told: `${opens} ${path} is its master key.`, key: 'fits' };
      }
      const told = `${opens} But ${path} is not its master key, and without that it is of no use: find the key of the store that it was made of.`;
      return { told, key: 'another' };
    } finally {
      await store.close();
    }
  } catch (error) {
    throw unwritable(error, exitCodes.failed, `a restore cannot be tried in ${tmpdir()}`);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

/** The configured master key, which is not made here; or why there is none to try. */
function presentKey(
  options: VerbOptions,
  environment: StoreReport['environment'],
): { readonly path: string; readonly keyring: Keyring } | { readonly why: string } {
  const why = (reason: string) => ({ why: `No master key was tried: ${reason}.` });
  try {
    const config = configOf(options);
    if (config.environment !== environment) {
      return why(`${options.config} is for environment ${config.environment}`);
    }
    const path = masterKeyPath(config);
    if (path === undefined || !existsSync(path)) return why(`${options.config} has none yet`);
    return { path, keyring: createKeyring(masterKeyOf(config)) };
  } catch (error) {
    if (error instanceof MasterKeyUnusable) return why(error.message);
    if (error instanceof FaultsError) return why(`there is no configuration at ${options.config}`);
    throw error;
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
