// Owns what is done in the file store with kept texts beside their verbs: what a restore and an accepted
// time change.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Floor } from '../kept_texts.ts';
import { digitsOf, floorRow, isMarkAfter, raiseFloor, rowSetBack } from '../sql/kept_rows.ts';
import { from } from '../sql/parts.ts';
import { replacing } from '../sql/statement.ts';
import { keptTexts } from '../sql/tables.ts';
import { inserter, lister } from './tables.ts';

/** Sets back the marks of a clock that was ahead of a time; call it inside a write. */
export function markSetBack(database: DatabaseSync): (to: Instant) => void {
  const put = inserter(database, keptTexts, replacing(keptTexts));
  const row = from(keptTexts, 'kept_text');
  const ahead = lister(database, { row }, `FROM kept_text WHERE ${isMarkAfter('?')}`);
  return (to) => {
    for (const found of ahead(digitsOf(to))) put(rowSetBack(found.row, to));
  };
}

/** Raises the floor; call it inside a write. */
export function floorRaiser(database: DatabaseSync): (floor: Floor) => void {
  const put = inserter(database, keptTexts, `${replacing(keptTexts)} ${raiseFloor}`);
  return (floor) => void put(floorRow(floor));
}
