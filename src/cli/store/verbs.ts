// Owns the verbs `store verify`, `store backup`, `store restore` and `store copy`, and printing a store file's kind, rows
// and damage.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Config } from '../../config/config.ts';
import { masterKeyPath } from '../../config/master_key.ts';
import { shownPath } from '../../config/programme_files.ts';
import { instant } from '../../lib/clock.ts';
import { dateOrNull, dateText } from '../../lib/duration.ts';
import { FaultsError } from '../../lib/fault.ts';
import { endingOf, say } from '../../server/ending.ts';
import {
  exitCodes,
  expectYes,
  failed,
  refuseUsage,
  storeUnusable,
  unwritable,
  wrongUsage,
} from '../../server/exit.ts';
import { isOwnKey, masterKeyOf, siteOf } from '../../server/open_store.ts';
import { type Pruned, backUpInto } from '../../store/admin/backup_folder.ts';
import type { Counts } from '../../store/admin/carry.ts';
import { copyStore } from '../../store/admin/copy.ts';
import { noteBackup } from '../../store/backup_note.ts';
import type { RestoreReport, StoreCare, StoreReport } from '../../store/care.ts';
import { type StoreSite, locationFault, readStoreLocation, storeAt } from '../../store/open.ts';
import { verifyFile } from '../../store/sqlite/file/read.ts';
import { MasterKeyUnusable } from '../../store/unusable.ts';
import { type Keyring, createKeyring } from '../../token/keyring.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { backupOptions, copyOptions, restoreOptions } from '../grammar/rows.ts';
import { auditCommand, expectDurableStore, withStore } from '../open_store.ts';
import { type VerbOptions, printFile, printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { withProgress } from '../progress.ts';
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
  // A store of one file can be verified without its master key; servers of a shared store need theirs.
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

/** Servers may use the store meanwhile. */
export async function backup(
  file: string,
  options: GivenWithConfig<typeof backupOptions>,
): Promise<void> {
  const { force = false, json = false, keep } = options;
  const config = configOf(options);
  const care = expectDurableStore(config);
  if (keep === undefined && file !== '-' && !force && existsSync(file)) {
    const message = `${file} is there already: name another file, or add --force to replace it`;
    throw failed(message);
  }
  // Whoever has a copy has what is in the store.
  auditCommand(config);
  if (file === '-') {
    await backupToOutput(care, json);
    return note(config);
  }
  const report = await made<StoreReport & Partial<Pruned>>(file, () =>
    keep === undefined ? care.backup(file, { overwrite: force }) : backUpInto(file, keep, care),
  );
  await note(config);
  const { removed, left } = report;
  const told = [
    toldOf(report, shownPath(report.path)),
    ...(removed ?? []).map((name) => `${name} is removed.`),
    ...(left ?? []).map(
      (name) => `${name} is left: it is no backup of this store, or cannot be removed.`,
    ),
  ];
  return printResult(
    options,
    { ...viewStore(report), ...(removed && { removed, left }) },
    told.join('\n'),
  );
}

/** Servers tell its age. The backup is whole, whether it can be noted or not. */
async function note(config: Config): Promise<void> {
  try {
    await withStore(config, ({ store, clock }) => noteBackup(store, clock.now()));
  } catch (error) {
    say(`the backup is made, and cannot be noted in the store: ${endingOf(error).message}`);
  }
}

function made<Report>(file: string, make: () => Promise<Report>): Promise<Report> {
  return withProgress('copying the store', undefined, make).catch((error: unknown) => {
    throw unwritable(error, exitCodes.failed, `the backup cannot be written to ${shownPath(file)}`);
  });
}

function toldOf(report: StoreReport, target: string): string {
  const told = [
    `The store is backed up to ${target}, and what is in the backup is sound.`,
    'The master key is not in it: without a copy of that, kept apart, it is of no use.',
  ];
  return [...told, '', storeSheet(report)].join('\n');
}

/** Writes to standard output after the backup was checked; the report goes to standard error. */
async function backupToOutput(care: StoreCare, json: boolean): Promise<void> {
  refuseUsage([
    ...(json ? ['--json and - do not go together: standard output is the backup'] : []),
    ...(process.stdout.isTTY ? ['- writes the backup to standard output: pipe it somewhere'] : []),
  ]);
  // A folder that only its owner can read, where the system keeps large files (TMPDIR).
  const folder = mkdtempSync(join(tmpdir(), 'jetway-backup-'));
  try {
    const file = join(folder, 'backup.db');
    const report = await made(file, () => care.backup(file));
    await printFile(report.path);
    console.error(toldOf({ ...report, path: '-' }, 'standard output'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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
