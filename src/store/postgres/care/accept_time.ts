// Owns accepting a time in PostgreSQL after the clock was wrong, in one statement: all of it or nothing.

import { isDeepStrictEqual } from 'node:util';

import type { Instant } from '../../../lib/clock.ts';
import { randomKey } from '../../../lib/random.ts';
import type { ProgrammeId } from '../../../oauth/client.ts';
import { Unavailable } from '../../../oauth/failure.ts';
import { placeAfter } from '../../../oauth/place.ts';
import { floorAfterSetBack } from '../../kept_texts.ts';
import { type Kind, type KindDescription, kindNames, kinds } from '../../kinds.ts';
import { digitsOf, floorRow, isMarkAfter, rowSetBack } from '../../sql/kept_rows.ts';
import { leftJoined, partReader } from '../../sql/parts.ts';
import { everybody } from '../../sql/revocations.ts';
import type { Value } from '../../sql/table.ts';
import { type KeptRow, keptTexts, registered } from '../../sql/tables.ts';
import { itemRow, type ItemRow } from '../../verbs/item_rows.ts';
import { putClock } from '../clock.ts';
import { confirmEdition } from '../driver.ts';
import { readEpoch } from '../epoch.ts';
import { everywhere } from '../keeping.ts';
import { changeMarks, raiseFloors, textRows } from '../kept_texts.ts';
import { untilKnown } from '../link/batch.ts';
import type { Link } from '../link/link.ts';
import type { Statement } from '../link/statement.ts';
import { putRevocations, revocationRows } from '../revocations.ts';
import { tableRows } from '../tables.ts';

const items = tableRows(registered);
const gated = 'EXISTS (SELECT FROM gate)';
const [floorsAt, marksAt] = [8, 8 + textRows.length];
const itemsAt = marksAt + textRows.length;
const revokedAt = itemsAt + items.length;

const find: Statement = {
  name: 'find_forgotten',
  text: 'SELECT forgotten_since FROM epoch',
  isRead: true,
};

/**
 * Only while nothing that it was worked out from has changed. Parameters 1 to 7: registrations, era and
 * `forgotten_since` as they were, the time, its first place, whether the clock was ahead, and a mark by
 * which the statement is recognised.
 */
const accept: Statement = {
  name: 'accept_time',
  text: `WITH gate AS (
      UPDATE epoch SET accepted_era = era, accepted_time = $4::bigint, forgotten_until = $3::bigint,
        forgotten_since = 0, era = era + 1, registrations = registrations + 1, op = $7
      WHERE registrations = $1 AND era = $2 AND forgotten_since = $3 RETURNING 1
    ), recorded AS (
      INSERT INTO meta (name, value) SELECT 'recorded_time', $4::bigint::text WHERE ${gated}
      ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING 1
    ), clock AS (${putClock}
    ), codes AS (DELETE FROM code WHERE issued_at > $4 AND ${gated}
    ), later AS (DELETE FROM login WHERE place >= $5::bigint AND ${gated}
    ), forgotten AS (
      DELETE FROM login WHERE ends_at <= $3 AND place < $5 AND $3::bigint > $4 AND ${gated}
    ), attempts AS (DELETE FROM login_attempt WHERE $6::boolean AND ${gated}
    ), outages AS (DELETE FROM outage WHERE to_at > $4 AND ${gated}
    ), uses AS (UPDATE secret_use SET used_at = $4 WHERE used_at > $4 AND ${gated}
    ), floors AS (${raiseFloors(floorsAt, gated)}
    ), marks AS (${changeMarks(marksAt, gated)}
    ), changed AS (
      UPDATE registered SET record = asked.record, sum = asked.sum
      FROM ${items.from('asked', itemsAt)} WHERE ${gated}
        AND registered.kind = asked.kind AND registered.programme = asked.programme AND registered.id = asked.id
    ), revoked AS (
      ${putRevocations(`SELECT ${revocationRows.names.join(', ')}
        FROM ${revocationRows.from('asked', revokedAt)} WHERE ${gated}`)}
    )
    SELECT 1 FROM gate`,
  isRead: false,
};

/** Changes of other nodes may be faster this often. */
const mostTries = 200;

/**
 * See `Keeping.acceptTime`.
 * @param recorded the time by the clock before
 */
export async function acceptTime(care: Link, now: Instant, recorded: Instant): Promise<void> {
  const floors = now < recorded ? [floorRow(floorAfterSetBack(now, recorded))] : [];
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { registrations, era, accepted } = await readEpoch(care);
    const [[forgotten = 0] = []] = await care.run(find, []);
    const changed = await itemsSetBack(care, now, recorded);
    // Only one such mark is kept: a former one that still counts takes all of its tokens along.
    const owned = { programme: everybody as ProgrammeId, owner: everybody };
    const revoked =
      accepted !== undefined && accepted.forgotten > now
        ? [{ ...owned, revoked_until: accepted.era }]
        : [];
    const mark = randomKey(9);
    const values = [
      registrations,
      era,
      forgotten,
      now,
      placeAfter(now),
      now < recorded,
      mark,
      ...textRows.values(floors),
      ...textRows.values(await marksSetBack(care, now)),
      ...items.values(changed),
      ...revocationRows.values(revoked),
    ];
    const until = care.deadline();
    const { result } = await untilKnown(until, () => care.run(accept, values, until));
    // An earlier run, whose outcome was not known, may have done it.
    if (result.length > 0 || (await care.run(confirmEdition, [mark])).length > 0) return;
  }
  throw new Unavailable('store: registrations are changed faster than a time can be accepted');
}

/** The items of all kinds that are others after a clock was set back. */
async function itemsSetBack(care: Link, to: Instant, before: Instant): Promise<readonly ItemRow[]> {
  const changed: ItemRow[] = [];
  for (const kind of kindNames) {
    const { setBack } = kinds[kind] as KindDescription<Kind>;
    if (setBack === undefined) continue;
    for (const item of await everywhere(care, kind)) {
      const after = setBack(item, to, before);
      if (!isDeepStrictEqual(after, item)) changed.push(itemRow(kind, after as never));
    }
  }
  return changed;
}

const marks = partReader({ row: leftJoined(keptTexts, 'kept_text') });
const findAhead: Statement = {
  name: 'find_marks_ahead',
  text: `SELECT ${marks.columns} FROM kept_text WHERE ${isMarkAfter('$1')}`,
  isRead: true,
};

/** The marks of a clock that was ahead of a time, as they are once it is accepted. */
async function marksSetBack(care: Link, to: Instant): Promise<readonly KeptRow[]> {
  const found = await care.run(findAhead, [digitsOf(to)]);
  return found.flatMap((one) => {
    const { row } = marks.read(one as Value[]);
    return row === null ? [] : [rowSetBack(row, to)];
  });
}
