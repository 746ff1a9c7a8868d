// Owns what the rows of kept texts say, for every SQL backend.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Floor, HeldText, KeptText } from '../kept_texts.ts';
import { type LiveMark, type LiveToken, markText, setBackMark } from '../live_tokens.ts';
import { everybody } from './revocations.ts';
import { insertText, replacing, statement } from './statement.ts';
import { type KeptRow, keptTexts } from './tables.ts';

export function keptRow(
  { programme, use, key, text, until }: KeptText,
  mark = '',
): Omit<KeptRow, 'sum'> {
  return { programme, use, key, kept: text, mark, ends_at: until };
}

/** The row of an owner's live token, of which `mark` tells the rest. */
export function markRow({ programme, use, key }: LiveToken, live: LiveMark): Omit<KeptRow, 'sum'> {
  const { mark, ...text } = markText(live);
  return keptRow({ programme, use, key, ...text }, mark);
}

export function heldIn({ kept: text, mark, ends_at: until }: KeptRow): HeldText {
  return { text, mark, until };
}

/** SQL of whether a row is a mark. */
export const isMark = `kept_text.use = 'live_token' AND kept_text.kept <> ''`;

/**
 * SQL of whether a mark may be of a clock that was ahead of a time, which is SQL of `digitsOf` it. Texts are
 * compared: a wild clock writes more or fewer digits, and is looked at.
 */
export function isMarkAfter(time: string): string {
  return `kept_text.use = 'live_token' AND kept_text.mark <> ''
    AND (substr(kept_text.mark, 14, 1) <> ' ' OR substr(kept_text.mark, 1, 13) > ${time})`;
}

export function digitsOf(time: Instant): string {
  return String(time).padStart(13, '0');
}

/** A row of such a mark once that time was accepted. */
export function rowSetBack(row: KeptRow, to: Instant): KeptRow {
  return { ...row, mark: setBackMark(heldIn(row), to).mark };
}

/** The row of a floor. */
export function floorRow({ upTo, until }: Floor): Omit<KeptRow, 'sum'> {
  const programme = everybody as ProgrammeId;
  return { programme, use: 'assertion', key: '', kept: String(upTo), mark: '', ends_at: until };
}

/** The programme, use and key of a floor. */
export const floorName = [everybody, 'assertion', ''] as const;

/** Raises a floor. */
export const putFloor = statement(
  'raise_floor',
  keptTexts.columns,
  insertText(keptTexts, `${replacing(keptTexts)} WHERE excluded.ends_at > kept_text.ends_at`),
  { row: ['programme', 'use', 'key'] },
);
