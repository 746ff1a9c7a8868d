// Owns leaving a store file for another store, and making one of another store's rows.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { makeFolder } from '../../../lib/make_folder.ts';
import { present } from '../../../lib/present.ts';
import { carryRows } from '../../carry/carry.ts';
import { type Arrival, type Departure, type Move } from '../../carry/copy.ts';
import { everything } from '../../carry/tables.ts';
import { damagedStore, StoreUnusable } from '../../unusable.ts';
import { claimFile } from '../file/claim.ts';
import { makeDraft, placeNew, placeOver, removeDraft } from '../file/disk.ts';
import { identityOf, realPath } from '../file/identity.ts';
import { logDamage } from '../file/log.ts';
import { expectOurs, moveOf, unusable } from '../file/refusals.ts';
import { metaOf } from '../meta.ts';
import { movedApplicationId } from '../schema.ts';
import { fileFacts, fileRows, newFileRows } from './carried.ts';
import { allDamage } from './check.ts';

/**
 * Takes the store file for this process alone.
 * @throws StoreUnusable where there is no sound store, or a server has it open
 */
export function leaveFile(path: string): Departure {
  const absolute = realPath(path);
  if (identityOf(absolute) === undefined) {
    throw new StoreUnusable(`there is no file ${absolute}`, 'name the file of a store');
  }
  const found = logDamage(absolute);
  if (found !== undefined) throw damagedStore(absolute, found);
  const database = claimed(absolute);
  const moved = moveOf(database);
  return present({
    name: `file:${absolute}`,
    moved,
    leave: async (move: Move, take: Parameters<Departure['leave']>[1]) => {
      expectOurs(database, absolute);
      const damage = allDamage(database);
      if (damage.length > 0) throw damagedStore(absolute, damage.join('; '));
      const counts = await take(fileFacts(database), fileRows(database, absolute));
      database.exec('PRAGMA synchronous = EXTRA; BEGIN');
      const meta = metaOf(database);
      meta.put('moved_as', move.id);
      meta.put('moved_to', move.to);
      database.exec(`PRAGMA application_id = ${movedApplicationId}; COMMIT`);
      return counts;
    },
    close: () => database.close(),
  });
}

function claimed(path: string): DatabaseSync {
  try {
    return claimFile(path);
  } catch (error) {
    throw error instanceof StoreUnusable ? error : unusable(path, error);
  }
}

/** @throws StoreUnusable where a file is at the path that no copy has made */
export function arriveAtFile(path: string): Arrival {
  const absolute = realPath(path);
  // No configuration names it: what is not finished opens nowhere.
  const arriving = `${absolute}.arriving`;
  const standing = [arriving, absolute].find((one) => existsSync(one));
  const copy = standing === undefined ? undefined : copyIn(standing);
  if (standing === absolute && copy === undefined) throw isTaken(absolute);
  return present({
    name: `file:${absolute}`,
    copy,
    fill: async (id: string, ...[facts, rows]: Tail<Parameters<Arrival['fill']>>) => {
      if (existsSync(absolute)) throw isTaken(absolute);
      makeFolder(dirname(absolute), 0o700);
      const draft = makeDraft(absolute);
      try {
        const database = new DatabaseSync(draft);
        try {
          database.exec('BEGIN');
          const counts = await carryRows(rows, newFileRows(database, absolute, facts), everything);
          metaOf(database).put('copied_as', id);
          database.exec('COMMIT');
          database.close();
          placeOver(draft, arriving);
          return counts;
        } finally {
          if (database.isOpen) database.close();
        }
      } finally {
        removeDraft(draft);
      }
    },
    finish: async () => {
      if (existsSync(arriving) && !placeNew(arriving, absolute)) {
        if (identityOf(arriving) !== identityOf(absolute)) throw isTaken(absolute);
      }
      removeDraft(arriving);
    },
    close: () => undefined,
  });
}

type Tail<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest]
  ? Rest
  : never;

function isTaken(path: string): StoreUnusable {
  return new StoreUnusable(`${path} is there already`, 'name another file');
}

/** The copy that made a file; undefined for any other file. */
function copyIn(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    expectOurs(database, path);
    return metaOf(database).get('copied_as');
  } catch {
    return undefined;
  } finally {
    database.close();
  }
}
