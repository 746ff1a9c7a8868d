// Owns the recorded time in PostgreSQL, which all nodes record.

import type { Instant } from '../../lib/clock.ts';
import type { RecordedTime } from '../verbs/time.ts';
import { databaseNow, putClock } from './clock.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { outagesColumn, readOutages } from './outages.ts';

/** The clock is recorded beside the time: the difference is how far the servers are from it. */
const meta = (name: string): string =>
  `(SELECT value::bigint FROM meta WHERE name = 'recorded_${name}')`;

const find: Statement = {
  name: 'find_time',
  text: `SELECT ${meta('time')}, ${databaseNow} - ${meta('clock')},
    ${outagesColumn}`,
  isRead: true,
};

const raise: Statement = {
  name: 'record_time',
  text: `WITH recorded AS (
      INSERT INTO meta AS kept (name, value) SELECT 'recorded_time', $1::bigint::text FROM epoch
      WHERE accepted_era IS NOT DISTINCT FROM $2::bigint
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE kept.value::bigint < $1::bigint
      RETURNING 1
    ) ${putClock}`,
  isRead: false,
};

/** Milliseconds between two records while one process has the store. */
const recordedEvery = 5000;
/** Milliseconds after the last record in which servers are taken to run. */
const current = 60_000;

/** @param isRelieved see `Leases` */
export function databaseTime(link: Link, isRelieved: () => boolean): RecordedTime {
  let written: Instant | undefined;
  return {
    read: async () => {
      const [[time, since, outages] = []] = await link.run(find, []);
      const recorded = (time ?? undefined) as Instant | undefined;
      const isCurrent = typeof since === 'number' && since >= 0 && since < current;
      return {
        recorded,
        current: isCurrent && recorded !== undefined ? ((recorded + since) as Instant) : undefined,
        outages: readOutages(outages),
      };
    },
    note: async (now, followed) => {
      const isWritten = written !== undefined && now - written < recordedEvery;
      if (isWritten || isRelieved()) return;
      await link.run(raise, [now, followed ?? null]);
      written = now;
    },
    startAnew: () => {
      written = undefined;
    },
  };
}
