// Owns kept texts: assertions that are used once, texts that replace the one before, and live tokens.

import type { Instant } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import type { TextVerbs } from '../grants.ts';
import { issueOf } from '../kept_texts.ts';
import { type LiveChange, type LiveToken, readMark, takeOver } from '../live_tokens.ts';
import { chain } from '../sql/chain.ts';
import type { Db, Values } from '../sql/db.ts';
import { floorName, heldIn, keptRow, markRow } from '../sql/kept_rows.ts';
import { from, leftJoined, partReader } from '../sql/parts.ts';
import { insertText, replacing, statement } from '../sql/statement.ts';
import { expectWhole, withSum } from '../sql/table.ts';
import { type KeptRow, keptTexts, revokedTokens } from '../sql/tables.ts';
import { revoke, revokedRow } from './revocations.ts';
import { untilDone } from './tries.ts';

const { columns, key } = keptTexts;
const isNamed =
  'kept_text.programme = :programme AND kept_text.use = :use AND kept_text.key = :key';
const parts = partReader({ row: from(keptTexts, 'kept_text') });
const [floorProgramme, floorUse, floorKey] = floorName;

const find = statement(
  'find_kept',
  columns,
  `SELECT ${parts.columns} FROM kept_text WHERE ${isNamed}`,
);

const put = statement('keep_text', columns, insertText(keptTexts, replacing(keptTexts)), {
  row: key,
});

const putOnce = statement(
  'keep_once',
  columns,
  // A row with the same mark was written by an earlier run of this statement.
  insertText(
    keptTexts,
    `${replacing(keptTexts)} WHERE kept_text.ends_at <= :now OR kept_text.mark = excluded.mark`,
    `NOT EXISTS (SELECT 1 FROM kept_text AS floor WHERE floor.programme = '${floorProgramme}'
      AND floor.use = '${floorUse}' AND floor.key = '${floorKey}'
      AND :issued_at <= CAST(floor.kept AS bigint))`,
  ),
  { row: key, types: { now: 'integer', issued_at: 'integer' } },
);

const live = partReader({
  held: leftJoined(keptTexts, 'kept_text'),
  revoked: leftJoined(revokedTokens, 'revoked_token'),
});

const findLive = statement(
  'find_live',
  columns,
  `SELECT ${live.columns} FROM (SELECT 1) AS one LEFT JOIN kept_text ON ${isNamed}
    LEFT JOIN revoked_token ON revoked_token.programme = :programme AND revoked_token.key = :token`,
  { types: { token: 'text' } },
);

const addLive = statement(
  'add_live',
  columns,
  insertText(keptTexts, 'ON CONFLICT (programme, use, key) DO NOTHING'),
  { row: key },
);
const addLiveAgain = statement(
  'add_live_again',
  columns,
  insertText(
    keptTexts,
    `ON CONFLICT (programme, use, key) DO UPDATE SET sum = kept_text.sum
      WHERE kept_text.kept = excluded.kept`,
  ),
  { row: key },
);

/** The columns of a text under other names: a chain also has those of the token that is ended. */
const beside = (name: string): string => `text_${name}`;
const isBeside = key.map((name) => `kept_text.${name} = :${beside(name)}`).join(' AND ');
const options = {
  row: key.map(beside),
  types: {
    ...Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [beside(name), type])),
    before: 'text',
  },
} as const;

/**
 * Only in the place of the token that was found: what another process has written meanwhile is read first.
 * @param held the tokens that it replaces
 */
function replacement(name: string, held: string) {
  const found = `${isBeside} AND kept_text.kept IN (${held})`;
  const change = statement(
    name,
    columns,
    `UPDATE kept_text SET kept = :text_kept, mark = :text_mark, ends_at = :text_ends_at, sum = :text_sum
      WHERE ${found}`,
    options,
  );
  const guard = statement(
    `${name}_guard`,
    columns,
    `SELECT 1 FROM kept_text WHERE ${found}`,
    options,
  );
  // The token before ends with it.
  return { change, ending: chain(`${name}_ending`, guard, change, revoke) };
}

const replace = replacement('replace_live', ':before');
/** Also the token itself, which an earlier run has written. */
const replaceAgain = replacement('replace_live_again', ':before, :text_kept');

/** Parts of a replacement that ends a token. */
const endsWhole = 3;

const tooFast = 'the live token of an owner changes faster than it can be written';

/** `ended` is told of each token that another has replaced. */
export function textVerbs(db: Db, ended: (row: Values) => void): TextVerbs {
  const rows = db.reader(find, (read) => parts.read(read).row);
  const lives = db.reader(findLive, live.read);
  const [keep, keepOnce] = [db.writer(put), db.writer(putOnce)];
  const add = db.writer(addLive, addLiveAgain);
  const change = db.writer(replace.change, replaceAgain.change);
  const end = db.chainWriter(replace.ending, replaceAgain.ending);

  /** False where the token that was found is no longer the live one. */
  const write = async (
    token: LiveToken,
    held: KeptRow | null,
    { mark, ends }: LiveChange,
  ): Promise<boolean> => {
    const row = withSum(keptTexts, markRow(token, mark));
    if (held === null) return (await add(row)) === true;
    const text = Object.entries(row).map(([name, value]) => [beside(name), value] as const);
    const values = { ...Object.fromEntries(text), before: held.kept };
    if (ends === undefined) return (await change(values)) === true;
    const former = revokedRow(token.programme, ends);
    const { done } = await end({ ...values, ...former });
    ended(former);
    return done === endsWhole;
  };
  /** Undefined where another request or process was faster. */
  const takePlace = async (token: LiveToken, now: Instant): Promise<boolean | undefined> => {
    const { programme, use, key: owner, tokenId } = token;
    const found = await lives.find({ programme, use, key: owner, token: tokenId });
    const { held = null, revoked = null } = found ?? {};
    if (held !== null) expectWhole(keptTexts, held);
    if (revoked !== null) expectWhole(revokedTokens, revoked);
    const mark = held === null ? undefined : readMark(heldIn(held));
    const taken = takeOver(mark, revoked !== null, token, now);
    if (taken === undefined) return mark?.tokenId === tokenId;
    return (await write(token, held, taken)) || undefined;
  };
  return {
    keepText: async (text, now) => {
      if ('tokenId' in text) return untilDone(tooFast, () => takePlace(text, now));
      if (text.use !== 'assertion') {
        await keep(withSum(keptTexts, keptRow(text)));
        return true;
      }
      const row = withSum(keptTexts, keptRow(text, randomKey(12)));
      return (await keepOnce({ ...row, issued_at: issueOf(text), now })) === true;
    },
    findKept: async (programme, use, name, now) => {
      const found = await rows.find({ programme, use, key: name });
      if (found === undefined) return undefined;
      expectWhole(keptTexts, found);
      return now < found.ends_at ? heldIn(found) : undefined;
    },
  };
}
