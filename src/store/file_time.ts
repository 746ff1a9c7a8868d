// Owns the time that the file store has recorded: clocks behind it cannot be right.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { Passenger } from './transactions.ts';

/** Milliseconds by which the record may lag when nothing else is written, and when something is. */
const idleLag = 30_000;
const busyLag = 1000;

/** The recorded time, in the file and on its way there. */
export interface RecordedTime extends Passenger {
  /** Undefined where none was recorded yet. */
  readonly current: () => Instant | undefined;
  /** Remembers a time; it rides on a transaction as soon as it is worth it. */
  readonly note: (now: Instant) => void;
  /** Whether a transaction of its own is due. */
  readonly isDue: () => boolean;
  /** Sets it, later or not; call it inside a write. */
  readonly set: (now: Instant) => void;
}

export function fileRecordedTime(database: DatabaseSync): RecordedTime {
  const select = database.prepare(`SELECT value FROM meta WHERE name = 'recorded_time'`);
  const raise = database.prepare(
    `INSERT INTO meta (name, value) VALUES ('recorded_time', ?)
     ON CONFLICT DO UPDATE SET value = excluded.value
     WHERE CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER)`,
  );
  const replace = database.prepare(`REPLACE INTO meta (name, value) VALUES ('recorded_time', ?)`);
  let seen: Instant | undefined;
  let boarded: Instant | undefined;
  let written: Instant | undefined;
  const lag = (): number => {
    if (seen === undefined) return 0;
    return written === undefined ? Number.POSITIVE_INFINITY : seen - written;
  };
  return {
    current: () => {
      const row = select.get();
      return row === undefined ? undefined : (Number(row['value']) as Instant);
    },
    note: (now) => {
      if (seen === undefined || seen < now) seen = now;
    },
    isDue: () => lag() >= idleLag,
    set: (now) => {
      replace.run(String(now));
      [seen, written] = [now, now];
    },
    board: (changed) => {
      if (seen === undefined || lag() < (changed ? busyLag : idleLag)) return;
      raise.run(String(seen));
      boarded = seen;
    },
    arrive: () => {
      written = boarded ?? written;
      boarded = undefined;
    },
  };
}
