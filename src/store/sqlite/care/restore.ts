// Owns restoring a backup: it replaces a store file, and no grant that ended since becomes valid again.

import { linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { instant, later } from '../../../lib/clock.ts';
import { makeFolder } from '../../../lib/make_folder.ts';
import { present } from '../../../lib/present.ts';
import type { Era } from '../../../oauth/grant.ts';
import type { RestoreReport, StoreReport } from '../../care.ts';
import type { Environment } from '../../contract.ts';
import { floorAfterRestore } from '../../kept_texts.ts';
import { granted, passing, voidedOf, vouching } from '../../sql/tables.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { sqliteCode } from '../commits/outage.ts';
import { endAllEras, eraOf } from '../eras.ts';
import { claimFile } from '../file/claim.ts';
import { makeDraft, placeNew, placeOver, removeDraft } from '../file/disk.ts';
import { identityOf, realPath } from '../file/identity.ts';
import { isCutOffRestore } from '../file/log.ts';
import { unusable } from '../file/refusals.ts';
import { floorRaiser } from '../kept_texts.ts';
import { type Meta, metaOf } from '../meta.ts';
import { revokeOwnTokens } from '../revocations.ts';
import { applicationId } from '../schema.ts';
import { putTimeRecord, type TimeRecord, timeRecord } from '../time.ts';
import { copyInto } from './backup.ts';
import { openToRead, reportOn } from './examine.ts';

export interface RestoreOptions {
  /** The configuration's: a backup of the other environment is refused (C-3). */
  readonly environment: Environment;
}

/**
 * Replaces the store at `target` by the backup, in one step, and keeps the old file beside it. Clients,
 * members, signing keys, removals and revocations are those of the backup. All codes and tokens are void,
 * JWTs too.
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
    // Before the target is locked: closing any descriptor of the file drops SQLite's locks on it.
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

/** @throws StoreUnusable for a backup that is damaged, or of another environment */
export function expectRestorable(report: StoreReport, environment: Environment): void {
  if (report.damage.length > 0) throw damagedStore(report.path, report.damage.join('; '));
  if (report.environment === environment) return;
  throw new StoreUnusable(
    `the backup ${report.path} is of environment ${report.environment}; this configuration is for ${environment}`,
    `name a backup of ${environment}, or the configuration of ${report.environment}`,
  );
}

/** The recorded time and the era of a store. */
interface Life {
  readonly time?: TimeRecord;
  readonly era: Era;
}

function lifeOf(meta: Meta): Life {
  return present({ time: timeRecord(meta), era: eraOf(meta) });
}

/**
 * Runs `body` under an exclusive lock on the target, with the target's time and era if they are readable.
 * `body` should only rename files: when it fails, closing folds the target's log in.
 */
function holdingTarget<T>(
  target: string,
  environment: Environment,
  body: (life: Life | undefined) => T,
): T {
  // An empty file is damaged, and a claim would write to it.
  if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) === 0) return body(undefined);
  const holder = claimUnlessDamaged(target);
  if (holder === undefined) return body(undefined);
  try {
    expectOwn(holder, target, environment);
    return body(unlessDamaged(() => lifeOf(metaOf(holder))));
  } finally {
    holder.close();
  }
}

/** Undefined for a file that cannot be read: a restore may replace a damaged file. */
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

/** The target may be of a newer schema, or damaged; it must be of this application and environment (C-3). */
function expectOwn(database: DatabaseSync, target: string, environment: Environment): void {
  const owner = unlessDamaged(() => metaOf(database).get('environment'));
  const id = database.prepare('PRAGMA application_id').get()?.['application_id'];
  if (id !== applicationId || (owner !== undefined && owner !== environment)) {
    const whose = id === applicationId ? `environment ${owner}` : 'another application';
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

/** Deletes all grants in the draft, which no other process has open. */
function voidGranted(database: DatabaseSync, draft: string): Omit<RestoreReport, 'replaced'> {
  const { counts } = reportOn(database, draft);
  const emptied = [
    ...[...granted, ...passing].map(({ name }) => `DELETE FROM ${name};`),
    'DELETE FROM node_lease;',
    ...vouching.map((kind) => `DELETE FROM registered WHERE kind = '${kind}';`),
  ];
  // VACUUM removes the pages of the deleted rows.
  database.exec(`BEGIN; ${emptied.join(' ')} COMMIT; VACUUM`);
  const report = reportOn(database, draft);
  if (report.damage.length > 0) throw damagedStore(draft, report.damage.join('; '));
  return { ...report, voided: voidedOf(counts) };
}

/** Voids JWTs, and takes over the recorded time of the replaced store. */
function stamp(database: DatabaseSync, life: Life | undefined): void {
  database.exec('BEGIN');
  const meta = metaOf(database);
  revokeOwnTokens(database, endAllEras(meta, life?.era));
  if (life?.time !== undefined) putTimeRecord(meta, life.time);
  const now = instant(Date.now());
  floorRaiser(database)(floorAfterRestore(later(now, timeRecord(meta)?.time ?? now)));
  database.exec('COMMIT');
}

/**
 * One rename replaces the file. Until the old file's log is removed a start is refused (log.ts), since
 * SQLite would play that log into the new file. Returns the path of the old file.
 */
function replace(draft: string, target: string, isCutOff: boolean): string | undefined {
  const kept = `${target}.before-restore`;
  const wasThere = identityOf(target) !== undefined;
  // An interrupted restore has already kept the old file, without its log.
  if (wasThere && !isCutOff) {
    for (const suffix of ['', '-wal']) rmSync(kept + suffix, { force: true });
    linkSync(target, kept);
  }
  if (wasThere) placeOver(draft, target);
  else if (!placeNew(draft, target)) {
    throw new StoreUnusable(`store ${target} was made meanwhile`, 'stop whatever has made it');
  }
  // The index first: an index without its log describes commits that are missing.
  rmSync(`${target}-shm`, { force: true });
  const log = `${target}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) renameSync(log, `${kept}-wal`);
  else rmSync(log, { force: true });
  return wasThere ? kept : undefined;
}
