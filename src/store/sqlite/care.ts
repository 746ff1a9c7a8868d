// Owns the care of a store file: what its place does by itself in what admin/ does for every place.

import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import { makeFolder } from '../../lib/make_folder.ts';
import { present } from '../../lib/present.ts';
import { backupStore } from '../admin/backup.ts';
import type { Counts } from '../admin/carry.ts';
import type { Arriving, Leaving } from '../admin/copy.ts';
import { putMeta } from '../admin/facts.ts';
import type { Place } from '../admin/place.ts';
import { restoreStore } from '../admin/restore.ts';
import type { StoreCare } from '../care.ts';
import { damagedStore, StoreUnusable } from '../unusable.ts';
import { claimFile } from './file/claim.ts';
import { placeNew, placeOver, removeDraft, withDraft } from './file/disk.ts';
import { copyInto, newFile } from './file/draft.ts';
import { identityOf, realPath } from './file/identity.ts';
import { logDamage } from './file/log.ts';
import { filePlace } from './file/place.ts';
import { glance, readingFile, reportOnFile, verifyFile } from './file/read.ts';
import { expectOurs, moveOf, unusable } from './file/refusals.ts';
import { replacingFile } from './file/replace.ts';
import { metaOf } from './meta.ts';
import { movedApplicationId } from './schema.ts';

export function fileCare(path: string): StoreCare {
  return {
    losing: 'what came into the store since the backup would be put aside',
    backup: async (target, options = {}) => {
      const store = realPath(path);
      if (isSame(store, resolve(target))) {
        throw new StoreUnusable(
          `${target} is the store itself`,
          'name another file for the backup',
        );
      }
      const fill = (draft: string): Promise<void> =>
        readingFile(store, (_, database) => copyInto(database, draft));
      return backupStore(store, target, options, fill);
    },
    backupSize: () => sizeOf(path),
    restore: async (backup, environment) => {
      if (isSame(backup, realPath(path))) {
        throw new StoreUnusable(`${backup} is the store itself`, 'name the file of a backup');
      }
      return readingFile(backup, async (source) =>
        restoreStore(source, await reportOnFile(source), replacingFile(path), environment),
      );
    },
    verify: () => verifyFile(path),
  };
}

/** Bytes of a store file and its log; 0 where there is none. */
export function sizeOf(path: string): number {
  const sizes = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

function isSame(one: string, other: string): boolean {
  const identity = identityOf(one);
  return identity !== undefined && identity === identityOf(other);
}

/**
 * Takes the store file for this process alone.
 * @throws StoreUnusable where there is no sound store, or a server has it open
 */
export async function leaveFile(path: string): Promise<Leaving> {
  const absolute = realPath(path);
  if (identityOf(absolute) === undefined) {
    throw new StoreUnusable(`there is no file ${absolute}`, 'name the file of a store');
  }
  const found = logDamage(absolute);
  if (found !== undefined) throw damagedStore(absolute, found);
  const database = claimed(absolute);
  return {
    place: filePlace(database, absolute),
    name: `file:${absolute}`,
    ...present({ moved: moveOf(database) }),
    // It is claimed.
    hold: async () => undefined,
    hide: async () => database.exec(`PRAGMA application_id = ${movedApplicationId}`),
    close: () => database.close(),
  };
}

function claimed(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = claimFile(path);
    database.exec('PRAGMA synchronous = EXTRA');
    if (moveOf(database) === undefined) expectOurs(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof StoreUnusable ? error : unusable(path, error);
  }
}

/** @throws StoreUnusable where a file is at the path that no copy has made */
export async function arriveAtFile(path: string): Promise<Arriving> {
  const absolute = realPath(path);
  // No configuration names it: what is not finished opens nowhere.
  const arriving = `${absolute}.arriving`;
  const standing = [arriving, absolute].find((one) => existsSync(one));
  const copy = standing === undefined ? undefined : copyIn(standing);
  if (standing === absolute && copy === undefined) throw isTaken(absolute);
  return {
    name: `file:${absolute}`,
    ...present({ copy }),
    build: async (id, body) => {
      if (existsSync(absolute)) throw isTaken(absolute);
      makeFolder(dirname(absolute), 0o700);
      return withDraft(absolute, async (draft) => {
        const fill = async (place: Place): Promise<Counts> => {
          const counts = await body(place);
          await putMeta(place, { copied_as: id });
          return counts;
        };
        const counts = await newFile(draft, fill, absolute);
        placeOver(draft, arriving);
        return counts;
      });
    },
    finish: async () => {
      if (existsSync(arriving) && !placeNew(arriving, absolute)) {
        if (identityOf(arriving) !== identityOf(absolute)) throw isTaken(absolute);
      }
      removeDraft(arriving);
    },
    close: () => undefined,
  };
}

function isTaken(path: string): StoreUnusable {
  return new StoreUnusable(`${path} is there already`, 'name another file');
}

/** The copy that made a file; undefined for any other file. */
function copyIn(path: string): string | undefined {
  return glance(path, (database) => {
    expectOurs(database, path);
    return metaOf(database).get('copied_as');
  });
}
