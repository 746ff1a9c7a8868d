// Owns kept texts in PostgreSQL.

import type { Instant } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { TextVerbs } from '../grants.ts';
import { issueOf, type KeptText } from '../kept_texts.ts';
import { type LiveToken, readMark, takeOver } from '../live_tokens.ts';
import { floorName, floorRow, heldIn, keptRow, markRow, raiseFloor } from '../sql/kept_rows.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { expectWhole, type Value } from '../sql/table.ts';
import { type KeptRow, keptTexts, revokedTokens } from '../sql/tables.ts';
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

const own = arrayRows({ programme: 'text', key: 'text', token: 'text' });
const liveParts = partReader({
  held: leftJoined(keptTexts, 'kept_text'),
  revoked: leftJoined(revokedTokens, 'revoked_token'),
});

const findLive: Statement = {
  name: 'find_live',
  text: `SELECT ${liveParts.columns} FROM ${own.from('asked')}
    LEFT JOIN kept_text ON kept_text.programme = asked.programme AND kept_text.use = 'live_token'
      AND kept_text.key = asked.key
    LEFT JOIN revoked_token ON revoked_token.programme = asked.programme
      AND revoked_token.key = asked.token`,
  isRead: true,
};

const ended = tableRows(revokedTokens);
const before = arrayRows({ held: 'text' });
const endedAt = 1 + rows.length + before.length;

const makeLive: Statement = {
  name: 'make_live',
  // Only in the place of the token that was found: what another node has written meanwhile is read first.
  text: `WITH asked AS MATERIALIZED (
      SELECT * FROM ${rows.from('asked')} JOIN ${before.from('before', 1 + rows.length)} USING (n)
    ), changed AS (
      UPDATE kept_text SET kept = asked.kept, mark = asked.mark, ends_at = asked.ends_at, sum = asked.sum
      FROM asked WHERE kept_text.programme = asked.programme AND kept_text.use = asked.use
        AND kept_text.key = asked.key AND kept_text.kept = asked.held RETURNING 1
    ), added AS (
      ${into} SELECT ${rows.names.join(', ')} FROM asked WHERE held IS NULL
      ON CONFLICT DO NOTHING RETURNING 1
    ), done AS (SELECT FROM changed UNION ALL SELECT FROM added), revoked AS (
      INSERT INTO revoked_token (${ended.names.join(', ')}) SELECT ${ended.names.join(', ')}
      FROM ${ended.from('ended', endedAt)} WHERE EXISTS (SELECT FROM done)
      ON CONFLICT DO NOTHING
    )
    SELECT 1 FROM done`,
  isRead: false,
};

interface Becoming {
  readonly token: LiveToken;
  readonly now: Instant;
}

/** Reads what is held, and takes its place unless another node was first: then that is read. */
async function takePlace(
  link: Link,
  { token, now }: Becoming,
  until: number,
  isAgain: boolean,
): Promise<boolean> {
  const { programme, key, tokenId } = token;
  while (performance.now() < until) {
    const [row = []] = await link.run(
      findLive,
      own.values([{ programme, key, token: tokenId }]),
      until,
    );
    const { held, revoked } = liveParts.read(row as Value[]);
    if (held !== null) expectWhole(keptTexts, held);
    const found = held === null ? undefined : readMark(heldIn(held));
    const change = takeOver(found, revoked !== null, token, now);
    // What an earlier run has written is written again: see `untilKnown`.
    const isLive = found?.tokenId === tokenId;
    const mark = change?.mark ?? (isAgain && isLive ? found : undefined);
    if (mark === undefined) return isLive;
    const ends = change?.ends && {
      programme,
      key: change.ends.tokenId,
      expires_at: change.ends.expiresAt,
    };
    const params = [
      ...rows.values([markRow(token, mark)]),
      ...before.values([{ held: held?.kept ?? null }]),
      ...ended.values(ends === undefined ? [] : [ends]),
    ];
    if ((await link.run(makeLive, params, until)).length > 0) return true;
  }
  throw new Unavailable('store: the live token of an owner changes faster than it can be written');
}

type Name = Pick<KeptText, 'programme' | 'use' | 'key'>;

interface Asked {
  readonly text: KeptText;
  readonly now: Instant;
  readonly mark: string;
}

const rowOf = ({ text: { programme, use, key } }: Asked): string => `${programme}\0${use}\0${key}`;

export function textVerbs(link: Link): TextVerbs {
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
      return found.map((one) => parts.read(one as Value[]).row);
    },
  });
  const become = batched<Becoming, boolean>({
    link,
    rowOf: ({ token: { programme, key } }) => `${programme}\0${key}`,
    answer: async (asked, until) => {
      const each = asked.map(async (one) =>
        untilKnown(until, (isAgain) => takePlace(link, one, until, isAgain)),
      );
      return (await Promise.all(each)).map(({ result }) => result);
    },
  });
  return {
    keepText: (text, now) =>
      'tokenId' in text
        ? become({ token: text, now })
        : write({ text, now, mark: text.use === 'assertion' ? randomKey(12) : '' }),
    findKept: async (programme, use, key, now) => {
      const found = await read({ programme, use, key });
      if (found === null) return undefined;
      expectWhole(keptTexts, found);
      return now < found.ends_at ? heldIn(found) : undefined;
    },
  };
}

/** Rows of kept texts, for a statement that writes some beside others. */
export const textRows = rows;

/** SQL that changes marks by rows, which are the parameters from `at` on; not of a token that came since. */
export function changeMarks(at: number, condition: string): string {
  return `UPDATE kept_text SET mark = asked.mark, sum = asked.sum FROM ${rows.from('asked', at)}
    WHERE ${condition} AND kept_text.programme = asked.programme AND kept_text.use = asked.use
      AND kept_text.key = asked.key AND kept_text.kept = asked.kept`;
}

/** SQL that raises the floor of assertions by rows, which are the parameters from `at` on. */
export function raiseFloors(at: number, condition: string): string {
  return `${into} SELECT ${rows.names.join(', ')} FROM ${rows.from('asked', at)}
    WHERE ${condition} ${replace} ${raiseFloor}`;
}
