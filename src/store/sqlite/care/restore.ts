// Owns putting a backup in the place of a store file, so that nothing that ended since comes back.

import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { makeFolder } from '../../../lib/make_folder.ts';
import type { Era } from '../../../oauth/grant.ts';
import type { RestoreReport, StoreReport } from '../../care.ts';
import type { Environment } from '../../contract.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { sqliteCode } from '../commits/outage.ts';
import { endAllEras, eraIn } from '../eras.ts';
import { claimFile } from '../file/claim.ts';
import { makeDraft, placeNew, placeOver, removeDraft } from '../file/disk.ts';
import { identityOf, realPath } from '../file/identity.ts';
import { isCutOffRestore } from '../file/log.ts';
import { migrate } from '../file/migrate.ts';
import { unusable } from '../file/refusals.ts';
import { revokeUnremembered } from '../revocations.ts';
import { applicationId } from '../schema.ts';
import { putTimeRecord, type TimeRecord, timeRecord } from '../time.ts';
import { copyInto } from './backup.ts';
import { openToRead, reportOn } from './examine.ts';

export interface RestoreOptions {
  /** The configuration's: a backup of the other environment is refused (C-3). */
  readonly environment: Environment;
}

/** What was of its moment alone: locks that were lifted since must not come back either. */
const passing = ['login_attempt', 'node_lease'] as const;

/** What a backup must not bring back: some of it was used, rotated or revoked since (FAULTS 8). */
const granted = ['code', 'family', 'refresh_token', 'access_token'] as const;

/**
 * Puts the backup in the place of the store at `target`, in one step; what was there is kept beside
 * it. Clients, members, keys, removals and revocations are as they were at the backup; all codes
 * and tokens are void, JWTs too.
 * @throws StoreUnusable for a backup that is not sound or of another environment, and for a target
 * that another process has open; nothing has changed then.
 */
export async function restoreStore(
  backup: string,
  target: string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const absolute = realPath(target);
  if (identityOf(backup) !== undefined && identityOf(backup) === identityOf(absolute)) {
    throw new StoreUnusable(`${backup} is the store itself`, 'name the file of a backup');
  }
  const source = openToRead(backup);
  makeFolder(dirname(absolute), 0o700);
  const draft = makeDraft(absolute);
  try {
    expectRestorable(reportOn(source, realPath(backup)), options.environment);
    await copyInto(source, draft);
    const result = withDatabase(draft, (database) => voidGranted(database, draft));
    // Before the target is held: closing any descriptor of it would let it go.
    const isCutOff = isCutOffRestore(absolute);
    const replaced = holdingTarget(absolute, options.environment, (life) => {
      withDatabase(draft, (database) => stamp(database, life));
      return replace(draft, absolute, isCutOff);
    });
    return { ...result, path: absolute, ...(replaced === undefined ? {} : { replaced }) };
  } finally {
    source.close();
    removeDraft(draft);
  }
}

function expectRestorable(report: StoreReport, environment: Environment): void {
  if (report.damage.length > 0) throw damagedStore(report.path, report.damage.join('; '));
  if (report.environment === environment) return;
  throw new StoreUnusable(
    `the backup ${report.path} is of environment ${report.environment}; this configuration is for ${environment}`,
    `name a backup of ${environment}, or the configuration of ${report.environment}`,
  );
}

/** What a store goes by: its own time, and the era it is in. */
interface Life {
  readonly time: TimeRecord;
  readonly era: Era;
}

/**
 * Runs `body` while everybody else is kept out of the target, with what that went by, if it can tell.
 * Nothing but renaming should be left to do: when `body` fails, closing folds the target's log in.
 */
function holdingTarget<T>(
  target: string,
  environment: Environment,
  body: (life: Life | undefined) => T,
): T {
  // An empty file is a damaged one, and not empty any more once it was claimed.
  if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) === 0) return body(undefined);
  const holder = claimUnlessDamaged(target);
  if (holder === undefined) return body(undefined);
  try {
    expectOwn(holder, target, environment);
    return body(unlessDamaged(() => ({ time: timeRecord(holder), era: eraIn(holder) })));
  } finally {
    holder.close();
  }
}

/** Undefined for a file that cannot be read: damage is what a restore is for. */
function claimUnlessDamaged(target: string): DatabaseSync | undefined {
  try {
    return unlessDamaged(() => claimFile(target));
  } catch (error) {
    throw error instanceof StoreUnusable ? error : unusable(target, error);
  }
}

/** The result; undefined where SQLite found the file damaged (11 CORRUPT, 26 NOTADB, 1 no such table). */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = sqliteCode(error);
    if (code === 1 || code === 11 || code === 26) return undefined;
    throw error;
  }
}

/** The target may be of a newer schema, or damaged; it must not be somebody else's (C-3). */
function expectOwn(database: DatabaseSync, target: string, environment: Environment): void {
  const select = `SELECT value FROM meta WHERE name = 'environment'`;
  const owner = unlessDamaged(() => database.prepare(select).get())?.['value'];
  const id = database.prepare('PRAGMA application_id').get()?.['application_id'];
  if (id !== applicationId || (owner !== undefined && owner !== environment)) {
    const whose = id === applicationId ? `environment ${String(owner)}` : 'another application';
    throw new StoreUnusable(
      `${target} is a file of ${whose}; the backup is for ${environment}`,
      `name another path for ${environment} (store:)`,
    );
  }
}

function withDatabase<T>(path: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Deletes all that was granted, in a copy that nobody else has seen yet. */
function voidGranted(database: DatabaseSync, draft: string): Omit<RestoreReport, 'replaced'> {
  migrate(database);
  const { counts } = reportOn(database, draft);
  // The pages of what was deleted are no use to anybody.
  database.exec(
    `BEGIN; ${[...granted, ...passing].map((table) => `DELETE FROM ${table};`).join(' ')} COMMIT; VACUUM`,
  );
  const report = reportOn(database, draft);
  if (report.damage.length > 0) throw damagedStore(draft, report.damage.join('; '));
  const voided = granted.map((table) => [table, counts[table] ?? 0] as const);
  return { ...report, voided: Object.fromEntries(voided) };
}

/** Voids tokens that are not remembered, and goes on at the time of the store that is replaced. */
function stamp(database: DatabaseSync, life: Life | undefined): void {
  database.exec('BEGIN');
  revokeUnremembered(database, endAllEras(database, life?.era));
  if (life !== undefined && life.time.length > 0) putTimeRecord(database, life.time);
  database.exec('COMMIT');
}

/**
 * One rename puts the new file in place. Between it and the removal of the old file's log a start
 * is refused (log.ts), since SQLite would play that log into the new file. Returns where the
 * old file went.
 */
function replace(draft: string, target: string, isCutOff: boolean): string | undefined {
  const kept = `${target}.before-restore`;
  const wasThere = identityOf(target) !== undefined;
  // What a cut-off restore had replaced is kept already, but for its log.
  if (wasThere && !isCutOff) {
    for (const suffix of ['', '-wal']) rmSync(kept + suffix, { force: true });
    linkSync(target, kept);
  }
  if (wasThere) placeOver(draft, target);
  else if (!placeNew(draft, target)) {
    throw new StoreUnusable(`store ${target} was made meanwhile`, 'stop whatever has made it');
  }
  // The index first: without its log it would tell of commits that are missing.
  rmSync(`${target}-shm`, { force: true });
  const log = `${target}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) renameSync(log, `${kept}-wal`);
  else rmSync(log, { force: true });
  return wasThere ? kept : undefined;
}
