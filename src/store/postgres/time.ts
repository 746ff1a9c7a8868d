// Owns the recorded time in PostgreSQL, and a time that is accepted for all nodes.

import type { Instant } from '../../lib/clock.ts';
import type { Era } from '../../oauth/grant.ts';
import { placeAfter } from '../../oauth/place.ts';
import type { Keeping, StoreTime } from '../keeping.ts';
import { acceptTime } from './care/accept_time.ts';
import { databaseNow, putClock } from './clock.ts';
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

const raise: Statement = {
  name: 'record_time',
  text: `WITH recorded AS (
      INSERT INTO meta AS kept (name, value) VALUES ('recorded_time', $1::bigint::text)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE kept.value::bigint < $1::bigint
      RETURNING 1
    ) ${putClock}`,
  isRead: false,
};

const drop: Statement = {
  name: 'drop_later',
  text: `WITH codes AS (DELETE FROM code WHERE issued_at > $1
    ), uses AS (UPDATE secret_use SET used_at = $3 WHERE used_at > $3)
    DELETE FROM login WHERE place >= $2`,
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
  /** Sets back the uses of secrets that are not written yet. */
  readonly setBack: (now: Instant) => void;
  /** See `Leases`. */
  readonly isRelieved: () => boolean;
}

interface TimeVerbs extends Pick<Keeping, 'time' | 'acceptTime'> {
  /** Whether this process goes by a time that another one has corrected since. */
  readonly isBehind: () => Promise<boolean>;
  /** The accepted era that this process goes by. */
  readonly life: () => Era | undefined;
}

export function timeVerbs({ link, care, setBack, isRelieved }: TimeParts): TimeVerbs {
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
    life: () => (followed ?? undefined) as Era | undefined,
    isBehind: async () => (await read(care)).era !== followed,
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
      // First: uses that wait may be written meanwhile.
      setBack(now);
      if (acceptedBy === 'another_process') {
        // Servers that follow already have gone on, and recorded it, since the time was accepted.
        const { recorded = now } = await read(care);
        const later = Math.max(now, recorded + recordedEvery) + coarseness;
        await care.run(drop, [later, placeAfter(later as Instant), now]);
      } else {
        const before = await read(care);
        const recorded = before.current ?? before.recorded ?? now;
        await acceptTime(care, now, recorded);
      }
      followed = (await read(care)).era;
      written = undefined;
    },
  };
}
