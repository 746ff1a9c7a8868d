// Owns kept texts in PostgreSQL.

import type { Instant } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import type { Grants } from '../grants.ts';
import { type Floor, issueOf, type KeptText } from '../kept_texts.ts';
import { floorName, floorRow, keptRow, raiseFloor } from '../sql/kept_rows.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { expectWhole, type Value } from '../sql/table.ts';
import { type KeptRow, keptTexts } from '../sql/tables.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { arrayRows, tableRows } from './tables.ts';

const rows = tableRows(keptTexts);
const issues = arrayRows({ issued_at: 'bigint' });
const replace = `ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum`;
const into = `INSERT INTO kept_text (${rows.names.join(', ')})`;
const [floorProgramme, floorUse, floorKey] = floorName;

const keep: Statement = {
  name: 'keep_text',
  // A row with the same mark was written by an earlier run of this statement. Only assertions have a
  // mark, and an issue that a floor can cover.
  text: `${into} SELECT ${rows.names.join(', ')}
    FROM ${rows.from('asked', 2)} JOIN ${issues.from('issue', 2 + rows.length)} USING (n)
    WHERE NOT EXISTS (SELECT FROM kept_text AS floor WHERE floor.programme = '${floorProgramme}'
      AND floor.use = '${floorUse}' AND floor.key = '${floorKey}' AND issued_at <= floor.kept::bigint)
    ${replace} WHERE kept_text.ends_at <= $1 OR kept_text.mark = excluded.mark RETURNING mark`,
  isRead: false,
};

const names = arrayRows({ programme: 'text', use: 'text', key: 'text' });
const parts = partReader({ row: leftJoined(keptTexts, 'kept_text') });

const find: Statement = {
  name: 'find_kept',
  text: `SELECT ${parts.columns} FROM ${names.from('asked')}
    LEFT JOIN kept_text USING (programme, use, key) ORDER BY asked.n`,
  isRead: true,
};

type Name = Pick<KeptText, 'programme' | 'use' | 'key'>;

interface Asked {
  readonly text: KeptText;
  readonly now: Instant;
  readonly mark: string;
}

const rowOf = ({ text: { programme, use, key } }: Asked): string => `${programme}\0${use}\0${key}`;

export function textVerbs(link: Link): Pick<Grants, 'keepText' | 'findKept'> {
  const write = batched<Asked, boolean>({
    link,
    rowOf,
    answer: async (asked, until) => {
      const now = Math.min(...asked.map((one) => one.now));
      const params = [
        now,
        ...rows.values(asked.map(({ text, mark }) => keptRow(text, mark))),
        ...issues.values(asked.map(({ text }) => ({ issued_at: issueOf(text) }))),
      ];
      const { result } = await untilKnown(until, () => link.run(keep, params, until));
      const kept = new Set(result.map(([mark]) => mark));
      return asked.map(({ mark }) => mark === '' || kept.has(mark));
    },
  });
  const read = batched<Name, KeptRow | null>({
    link,
    answer: async (asked, until) => {
      const found = await link.run(
        find,
        names.values(asked.map(({ programme, use, key }) => ({ programme, use, key }))),
        until,
      );
      return found.map((row) => parts.read(row as Value[]).row);
    },
  });
  return {
    keepText: (text, now) =>
      write({ text, now, mark: text.use === 'assertion' ? randomKey(12) : '' }),
    findKept: async (programme, use, key, now) => {
      const row = await read({ programme, use, key });
      if (row !== null) expectWhole(keptTexts, row);
      return row !== null && now < row.ends_at ? row.kept : undefined;
    },
  };
}

/** Rows of floors as they are raised. */
export const floorRows = rows;

/** SQL that raises the floor of assertions by rows, which are the parameters from `at` on. */
export function raiseFloors(at: number, condition: string): string {
  return `${into} SELECT ${rows.names.join(', ')} FROM ${rows.from('asked', at)}
    WHERE ${condition} ${replace} ${raiseFloor}`;
}

const raise: Statement = { name: 'raise_floor', text: raiseFloors(1, 'true'), isRead: false };

/** Raises the floor of assertions. */
export async function raiseFloorIn(link: Pick<Link, 'run'>, floor: Floor): Promise<void> {
  await link.run(raise, rows.values([floorRow(floor)]));
}
