// Owns kept texts in the file store.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { TextVerbs } from '../grants.ts';
import { type Floor, issueOf } from '../kept_texts.ts';
import { type LiveToken, readMark, takeOver } from '../live_tokens.ts';
import {
  floorName,
  floorRow,
  digitsOf,
  heldIn,
  isMarkAfter,
  keptRow,
  markRow,
  raiseFloor,
  rowSetBack,
} from '../sql/kept_rows.ts';
import { from } from '../sql/parts.ts';
import { expectWhole } from '../sql/table.ts';
import { type KeptRow, keptTexts } from '../sql/tables.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import type { RevokedOnes } from './revocations.ts';
import { finder, inserter, lister, replacing } from './tables.ts';

/** The verbs of kept texts. */
export function fileTexts(
  database: DatabaseSync,
  queue: CommitQueue,
  revoked: RevokedOnes,
): TextVerbs {
  const find = finder(
    database,
    { row: from(keptTexts, 'kept_text') },
    'FROM kept_text WHERE programme = ? AND use = ? AND key = ?',
  );
  const put = inserter(database, keptTexts, replacing(keptTexts));
  const look = (...name: readonly [string, string, string]): KeptRow | undefined => {
    const row = find(...name)?.row;
    if (row !== undefined) expectWhole(keptTexts, row);
    return row;
  };
  const becomeLive = (token: LiveToken, now: Instant): boolean => {
    const { programme, use, key, tokenId } = token;
    const held = look(programme, use, key);
    const isRevoked = revoked.has(programme, tokenId);
    const change = takeOver(held && readMark(heldIn(held)), isRevoked, token, now);
    if (change === undefined) return held?.kept === tokenId;
    put(markRow(token, change.mark));
    if (change.ends) revoked.add(programme, change.ends);
    return true;
  };
  return {
    keepText: (text, now) =>
      queue.write(() => {
        if ('tokenId' in text) return becomeLive(text, now);
        if (text.use === 'assertion') {
          const held = look(text.programme, text.use, text.key);
          if (held !== undefined && now < held.ends_at) return false;
          if (issueOf(text) <= Number(look(...floorName)?.kept ?? 0)) return false;
        }
        put(keptRow(text));
        return true;
      }),
    findKept: (programme, use, key, now) =>
      queue.read(() => {
        const held = look(programme, use, key);
        return held !== undefined && now < held.ends_at ? heldIn(held) : undefined;
      }),
  };
}

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
