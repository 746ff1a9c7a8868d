// Owns the recorded time in PostgreSQL, and a time that is accepted for all nodes.

import { isDeepStrictEqual } from 'node:util';

import type { Instant } from '../../lib/clock.ts';
import { placeAfter } from '../../oauth/place.ts';
import type { Keeping, StoreTime } from '../keeping.ts';
import { floorAfterSetBack } from '../kept_texts.ts';
import { type Kind, type KindDescription, kindNames, kinds } from '../kinds.ts';
import type { changer } from './changes.ts';
import { databaseNow } from './clock.ts';
import { everywhere } from './keeping.ts';
import { raiseFloorIn } from './kept_texts.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { outagesColumn, readOutages } from './outages.ts';

/** The clock is recorded beside the time: the difference is how far the servers are from it. */
const meta = (name: string): string =>
  `(SELECT value::bigint FROM meta WHERE name = 'recorded_${name}')`;

const find: Statement = {
  name: 'find_time',
  text: `SELECT ${meta('time')}, ${databaseNow} - ${meta('clock')}, accepted_era, accepted_time,
    ${outagesColumn} FROM epoch`,
  isRead: true,
};

const putClock = `INSERT INTO meta (name, value) SELECT 'recorded_clock', (${databaseNow})::text
  WHERE EXISTS (SELECT FROM recorded) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const raise: Statement = {
  name: 'record_time',
  text: `WITH recorded AS (
      INSERT INTO meta AS kept (name, value) VALUES ('recorded_time', $1::bigint::text)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE kept.value::bigint < $1::bigint
      RETURNING 1
    ) ${putClock}`,
  isRead: false,
};

const accept: Statement = {
  name: 'accept_time',
  text: `WITH era AS (
      UPDATE epoch SET accepted_era = era, accepted_time = $1, era = era + 1,
        registrations = registrations + 1
    ), recorded AS (
      INSERT INTO meta (name, value) VALUES ('recorded_time', $1::bigint::text)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING 1
    ), clock AS (${putClock}
    ), codes AS (DELETE FROM code WHERE issued_at > $1
    ), attempts AS (DELETE FROM login_attempt WHERE $3
    ), outages AS (DELETE FROM outage WHERE to_at > $1)
    DELETE FROM login WHERE place >= $2`,
  isRead: false,
};

const drop: Statement = {
  name: 'drop_later',
  text: `WITH codes AS (DELETE FROM code WHERE issued_at > $1) DELETE FROM login WHERE place >= $2`,
  isRead: false,
};

/** Milliseconds between two records while one process has the store. */
const recordedEvery = 5000;
/** Milliseconds after the last record in which servers are taken to run. */
const current = 60_000;
/** Clocks of nodes that accept one time may differ by this much. */
const coarseness = 1000;

export interface TimeParts {
  readonly link: Link;
  readonly care: Link;
  readonly change: ReturnType<typeof changer>;
  /** See `Leases`. */
  readonly isRelieved: () => boolean;
}

type TimeVerbs = Pick<Keeping, 'time' | 'acceptTime'>;

export function timeVerbs({ link, care, change, isRelieved }: TimeParts): TimeVerbs {
  /** The accepted era that this process goes by. */
  let followed: number | null | undefined;
  let written: Instant | undefined;
  const read = async (through: Link) => {
    const [[time, since, era, acceptedTime, outages] = []] = await through.run(find, []);
    if (followed === undefined) followed = era as number | null;
    const recorded = (time ?? undefined) as Instant | undefined;
    const isCurrent = typeof since === 'number' && since >= 0 && since < current;
    return {
      recorded,
      current: isCurrent && recorded !== undefined ? ((recorded + since) as Instant) : undefined,
      acceptedElsewhere: era === followed ? undefined : (acceptedTime as Instant),
      outages: readOutages(outages),
      era: era as number | null,
    };
  };
  const told = async (): Promise<StoreTime> => {
    const { era: _own, ...found } = await read(link);
    return found;
  };
  return {
    time: async (now) => {
      const isWritten = written !== undefined && (now ?? written) - written < recordedEvery;
      const found = await told();
      if (now === undefined || isWritten || isRelieved()) return found;
      if (found.acceptedElsewhere !== undefined) return found;
      await link.run(raise, [now]);
      written = now;
      return told();
    },
    acceptTime: async (now, acceptedBy) => {
      if (acceptedBy === 'another_process') {
        // Servers that follow already have gone on, and recorded it, since the time was accepted.
        const { recorded = now } = await read(care);
        const later = Math.max(now, recorded + recordedEvery) + coarseness;
        await care.run(drop, [later, placeAfter(later as Instant)]);
      } else {
        const before = await read(care);
        const recorded = before.current ?? before.recorded ?? now;
        if (now < recorded) await raiseFloorIn(care, floorAfterSetBack(now, recorded));
        await setBack(care, change, now, recorded);
        await care.run(accept, [now, placeAfter(now), now < recorded]);
      }
      followed = (await read(care)).era;
      written = undefined;
    },
  };
}

/** Lets items of all kinds be as they are after a clock was set back. */
async function setBack(
  care: Link,
  change: TimeParts['change'],
  to: Instant,
  before: Instant,
): Promise<void> {
  for (const kind of kindNames) {
    const { setBack: back } = kinds[kind] as KindDescription<Kind>;
    if (back === undefined) continue;
    for (const item of await everywhere(care, kind)) {
      // A change each: most items have no such time.
      if (isDeepStrictEqual(back(item, to, before), item)) continue;
      const { programme } = item;
      await change((steps) =>
        steps.change(kind, programme, kinds[kind].idOf(item as never), (one) =>
          back(one, to, before),
        ),
      );
    }
  }
}
