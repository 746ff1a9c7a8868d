// Owns the file store's recorded time, and the current time that follows from it while the machine runs.

import type { DatabaseSync } from 'node:sqlite';

import { after, type Instant, milliseconds } from '../../lib/clock.ts';
import { readUptime, type Uptime } from '../../lib/uptime.ts';
import type { TransactionHook } from './commits/transactions.ts';

/** Milliseconds by which the record may lag: when nothing else is written, and when something is. */
const idleLag = 30_000;
const busyLag = 1000;

/** The recorded time in the file, and the noted time that is to be written there. */
export interface RecordedTime extends TransactionHook {
  /** Undefined where none was recorded yet. */
  readonly recorded: () => Instant | undefined;
  /** The recorded time plus the uptime since; undefined if the machine was restarted meanwhile. */
  readonly current: () => Instant | undefined;
  /** Notes a time. A later transaction writes it when it differs enough from the recorded time. */
  readonly note: (now: Instant) => void;
  /** Whether the noted time needs a transaction of its own. */
  readonly isDue: () => boolean;
  /** Records a time, also an earlier time; call it inside a write. */
  readonly set: (now: Instant) => void;
  /** Forgets times that were noted before the clock was set. */
  readonly startAnew: () => void;
}

interface Noted {
  readonly time: Instant;
  readonly uptime: Uptime;
}

export function fileRecordedTime(database: DatabaseSync): RecordedTime {
  const rows = timeRows(database);
  let life = rows.life();
  let seen: Noted | undefined;
  let uncommitted: Instant | undefined;
  let written: Instant | undefined;
  const lag = (): number => {
    if (seen === undefined) return 0;
    return written === undefined ? Number.POSITIVE_INFINITY : seen.time - written;
  };
  return {
    recorded: () => rows.read()?.time,
    current: () => {
      const found = rows.read();
      const { boot, passed } = readUptime();
      if (found === undefined || found.uptime.boot !== boot) return undefined;
      const since = passed - found.uptime.passed;
      return since < 0 ? undefined : after(found.time, milliseconds(since));
    },
    note: (now) => {
      if (seen === undefined || seen.time < now) seen = { time: now, uptime: readUptime() };
    },
    isDue: () => lag() >= idleLag,
    set: (now) => {
      seen = { time: now, uptime: readUptime() };
      rows.put(seen);
      written = now;
    },
    startAnew: () => {
      life = rows.life();
      seen = undefined;
      written = undefined;
    },
    beforeCommit: (changed) => {
      if (seen === undefined || lag() < (changed ? busyLag : idleLag)) return;
      const before = rows.read();
      const isLater = before === undefined || before.time < seen.time;
      // A time noted before another process accepted a time is of the former clock.
      if (isLater && rows.life() === life) rows.put(seen);
      uncommitted = seen.time;
    },
    committed: () => {
      written = uncommitted ?? written;
      uncommitted = undefined;
    },
  };
}

interface TimeRows {
  readonly read: () => Noted | undefined;
  readonly put: (noted: Noted) => void;
  /** Changes with every time that is accepted. */
  readonly life: () => unknown;
}

function timeRows(database: DatabaseSync): TimeRows {
  const select = database.prepare(
    `SELECT (SELECT value FROM meta WHERE name = 'recorded_time') AS time,
       (SELECT value FROM meta WHERE name = 'recorded_uptime') AS uptime`,
  );
  const accepted = database.prepare(`SELECT value FROM meta WHERE name = 'accepted_era'`);
  const replace = database.prepare('REPLACE INTO meta (name, value) VALUES (?, ?)');
  return {
    read: () => {
      const { time, uptime } = select.get() as { time: string | null; uptime: string | null };
      if (time === null) return undefined;
      const [passed = '', boot = 'unknown'] = uptime?.split(' ') ?? [];
      const since = { boot, passed: milliseconds(Number(passed)) };
      return { time: Number(time) as Instant, uptime: since };
    },
    put: ({ time, uptime }) => {
      replace.run('recorded_time', String(time));
      replace.run('recorded_uptime', `${uptime.passed} ${uptime.boot}`);
    },
    life: () => accepted.get()?.['value'],
  };
}

/** The rows of a file's recorded time, for the file that takes its place. */
export type TimeRecord = readonly { readonly name: string; readonly value: string }[];

const recordNames = `('recorded_time', 'recorded_uptime')`;

export function timeRecord(database: DatabaseSync): TimeRecord {
  const rows = database.prepare(`SELECT name, value FROM meta WHERE name IN ${recordNames}`).all();
  return rows.map(({ name, value }) => ({ name: String(name), value: String(value) }));
}

/** Replaces a file's recorded time by another file's; call it inside a write. */
export function putTimeRecord(database: DatabaseSync, record: TimeRecord): void {
  database.exec(`DELETE FROM meta WHERE name IN ${recordNames}`);
  const insert = database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
  for (const { name, value } of record) insert.run(name, value);
}
