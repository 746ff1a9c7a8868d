// Owns kept texts in PostgreSQL.

import type { Instant } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import { type Floor, issueOf, type KeptText, type KeptTexts } from '../kept_texts.ts';
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

const once: Statement = {
  name: 'keep_once',
  // A row with the same mark was written by an earlier run of this statement.
  text: `${into} SELECT ${rows.names.join(', ')}
    FROM ${rows.from('asked', 2)} JOIN ${issues.from('issue', 2 + rows.length)} USING (n)
    WHERE NOT EXISTS (SELECT FROM kept_text AS floor WHERE floor.programme = '${floorProgramme}'
      AND floor.use = '${floorUse}' AND floor.key = '${floorKey}' AND issued_at <= floor.kept::bigint)
    ${replace} WHERE kept_text.ends_at <= $1 OR kept_text.mark = excluded.mark RETURNING mark`,
  isRead: false,
};

const last: Statement = {
  name: 'keep_last',
  text: `${into} SELECT ${rows.names.join(', ')} FROM ${rows.from('asked')} ${replace}`,
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

export function textVerbs(link: Link): KeptTexts {
  const keepOnce = batched<Asked, boolean>({
    link,
    rowOf,
    answer: async (asked, until) => {
      const now = Math.min(...asked.map((one) => one.now));
      const params = [
        now,
        ...rows.values(asked.map(({ text, mark }) => keptRow(text, mark))),
        ...issues.values(asked.map(({ text }) => ({ issued_at: issueOf(text) }))),
      ];
      const { result } = await untilKnown(until, () => link.run(once, params, until));
      const kept = new Set(result.map(([mark]) => mark));
      return asked.map(({ mark }) => kept.has(mark));
    },
  });
  const keepLast = batched<Asked, void>({
    link,
    rowOf,
    answer: async (asked, until) => {
      const params = rows.values(asked.map(({ text, mark }) => keptRow(text, mark)));
      await untilKnown(until, () => link.run(last, params, until));
      return asked.map(() => undefined);
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
    keepOnce: (text, now) => keepOnce({ text, now, mark: randomKey(12) }),
    keepLast: (text, now) => keepLast({ text, now, mark: '' }),
    findKept: async (programme, use, key, now) => {
      const row = await read({ programme, use, key });
      if (row !== null) expectWhole(keptTexts, row);
      return row !== null && now < row.ends_at ? row.kept : undefined;
    },
  };
}

const raise: Statement = {
  name: 'raise_floor',
  text: `${last.text} ${raiseFloor}`,
  isRead: false,
};

/** Raises the floor of assertions. */
export async function raiseFloorIn(link: Pick<Link, 'run'>, floor: Floor): Promise<void> {
  await link.run(raise, rows.values([floorRow(floor)]));
}
