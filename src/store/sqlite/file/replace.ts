// Owns putting a file in the place of a store file, which no server has open, and keeping the old one
// beside it.

import { linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../../lib/clock.ts';
import { fileDate } from '../../../lib/duration.ts';
import { makeFolder } from '../../../lib/make_folder.ts';
import { present } from '../../../lib/present.ts';
import { factsOf, type StoreFacts } from '../../admin/facts.ts';
import type { Replacing } from '../../admin/restore.ts';
import type { Environment } from '../../contract.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { sqliteCode } from '../commits/outage.ts';
import { applicationId } from '../schema.ts';
import { claimFile } from './claim.ts';
import { placeNew, placeOver, withDraft } from './disk.ts';
import { newFile, usingDraft } from './draft.ts';
import { identityOf, realPath } from './identity.ts';
import { isCutOffRestore } from './log.ts';
import { filePlace } from './place.ts';
import { reportOnFile } from './read.ts';
import { expectFilePath, unusable } from './refusals.ts';

/** A store file that a restore replaces, or a path for one. */
export function replacingFile(path: string): Replacing {
  const target = realPath(path);
  return {
    replace: async (environment, fill, stamp) => {
      expectFilePath(target);
      makeFolder(dirname(target), 0o700);
      return withDraft(target, async (draft) => {
        await newFile(draft, fill);
        const report = await usingDraft(draft, reportOnFile);
        if (report.damage.length > 0) throw damagedStore(draft, report.damage.join('; '));
        // Before the target is locked: closing any descriptor of the file drops SQLite's locks on it.
        const isCutOff = isCutOffRestore(target);
        const replaced = await holdingTarget(target, environment, async (facts) => {
          await usingDraft(draft, (place) => place.transaction(() => stamp(place, facts)));
          return replace(draft, target, isCutOff);
        });
        return { ...report, path: target, ...present({ replaced }) };
      });
    },
  };
}

/**
 * Runs `body` under an exclusive lock on the target, with what it says of itself if that is readable.
 * `body` should only rename files: when it fails, closing folds the target's log in.
 */
async function holdingTarget<T>(
  target: string,
  environment: Environment,
  body: (facts: StoreFacts | undefined) => Promise<T>,
): Promise<T> {
  // An empty file is damaged, and a claim would write to it.
  if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) === 0) return body(undefined);
  const holder = await unlessDamaged(async () => claimFile(target)).catch((error: unknown) => {
    throw error instanceof StoreUnusable ? error : unusable(target, error);
  });
  if (holder === undefined) return body(undefined);
  try {
    const facts = await unlessDamaged(() => factsOf(filePlace(holder, target)));
    expectOwn(holder, target, environment, facts?.environment);
    return await body(facts);
  } finally {
    holder.close();
  }
}

/**
 * The result; undefined where SQLite found the file damaged (11 CORRUPT, 26 NOTADB, 1 no such table): a restore
 * may replace it.
 */
async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if ([1, 11, 26].includes(sqliteCode(error) ?? 0)) return undefined;
    throw error;
  }
}

/** The target may be of a newer schema, or damaged; it must be of this application and environment (C-3). */
function expectOwn(
  database: DatabaseSync,
  target: string,
  environment: Environment,
  owner: Environment | undefined,
): void {
  const id = database.prepare('PRAGMA application_id').get()?.['application_id'];
  if (id === applicationId && (owner === undefined || owner === environment)) return;
  const whose = id === applicationId ? `environment ${owner}` : 'another application';
  throw new StoreUnusable(
    `${target} is a file of ${whose}; the backup is for ${environment}`,
    `name another path for ${environment} (store:)`,
  );
}

/**
 * One rename replaces the file. Until the old file's log is removed a start is refused (log.ts), since
 * SQLite would play that log into the new file. Returns the path of the old file.
 */
function replace(draft: string, target: string, isCutOff: boolean): string | undefined {
  // An interrupted restore has already kept the old file, without its log.
  const begun = isCutOff ? keptWithoutLog(target) : undefined;
  const kept = begun ?? `${target}.before-restore-${fileDate(Date.now() as Instant)}`;
  const wasThere = identityOf(target) !== undefined;
  if (wasThere && !isCutOff) linkSync(target, kept);
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

/** The newest file that a restore of the target has kept, and whose log is not beside it. */
function keptWithoutLog(target: string): string | undefined {
  const names = new Set(readdirSync(dirname(target)));
  const name = [...names]
    .filter((one) => one.startsWith(`${basename(target)}.before-restore-`))
    .filter((one) => !one.endsWith('-wal') && !names.has(`${one}-wal`))
    .toSorted()
    .at(-1);
  return name && join(dirname(target), name);
}
