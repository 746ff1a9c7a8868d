// Owns the file store's recorded time, and the current time that follows from it while the machine runs.

import type { DatabaseSync } from 'node:sqlite';

import { after, type Instant, milliseconds } from '../../lib/clock.ts';
import { readUptime, type Uptime } from '../../lib/machine.ts';
import type { Era } from '../../oauth/grant.ts';
import type { Outage } from '../keeping.ts';
import type { RecordedTime } from '../verbs/time.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import type { TransactionHook } from './commits/transactions.ts';
import { type Meta, metaOf } from './meta.ts';

/** Milliseconds by which the record may lag: when nothing else is written, and when something is. */
const idleLag = 30_000;
const busyLag = 1000;

/** Milliseconds by which time may pass without the monotonic clock; more is an outage. */
const longestNap = 5000;
/** Retry windows are shorter than so many suspensions. */
const mostOutages = 100;

/** The recorded time in the file, and the noted time that is to be written there. */
export interface FileTime extends TransactionHook {
  /** Undefined where none was recorded yet. */
  readonly recorded: () => Instant | undefined;
  /** The recorded time plus the uptime since; undefined if the machine was restarted meanwhile. */
  readonly current: () => Instant | undefined;
  /**
   * Notes a time. A later transaction writes it when it differs enough from the recorded time, unless another time
   * than that of the era `followed` was accepted.
   */
  readonly note: (now: Instant, followed: Era | undefined) => void;
  /** Whether the noted time needs a transaction of its own. */
  readonly isDue: () => boolean;
  /** Records a time, also an earlier time; call it inside a write. */
  readonly set: (now: Instant) => void;
  /**
   * The time between the record at the opening and the first time that was noted here, and each time in
   * which the machine was suspended: no process may have served then. (Another may have: the record lags
   * by half a minute, and so does a retry window.)
   */
  readonly outages: () => readonly Outage[];
  /** Forgets times that were noted before the clock was set. */
  readonly startAnew: () => void;
}

export function fileRecordedTime(database: DatabaseSync): FileTime {
  const meta = metaOf(database);
  let life: Era | undefined;
  let seen: TimeRecord | undefined;
  let atOpening = timeRecord(meta)?.time;
  let outages: readonly Outage[] = [];
  let uncommitted: Instant | undefined;
  let written: Instant | undefined;
  /** By `performance.now`. */
  let notedAt = 0;
  const lag = (): number => {
    if (seen === undefined) return 0;
    return written === undefined ? Number.POSITIVE_INFINITY : seen.time - written;
  };
  return {
    recorded: () => timeRecord(meta)?.time,
    current: () => currentTime(meta.number('recorded_time'), meta.get('recorded_uptime')),
    outages: () => outages,
    note: (now, followed) => {
      life = followed;
      const awake = performance.now();
      const from = atOpening ?? seen?.time ?? now;
      if (atOpening !== undefined || now - from > awake - notedAt + longestNap) {
        outages = [...outages, { from, to: now }].slice(-mostOutages);
      }
      atOpening = undefined;
      notedAt = awake;
      if (seen === undefined || seen.time < now) seen = { time: now, uptime: readUptime() };
    },
    isDue: () => lag() >= idleLag,
    set: (now) => {
      seen = { time: now, uptime: readUptime() };
      putTimeRecord(meta, seen);
      written = now;
    },
    startAnew: () => {
      [atOpening, outages] = [undefined, []];
      seen = undefined;
      written = undefined;
    },
    beforeCommit: (changed) => {
      if (seen === undefined || lag() < (changed ? busyLag : idleLag)) return;
      const before = timeRecord(meta);
      const isLater = before === undefined || before.time < seen.time;
      // A time noted before another process accepted a time is of the former clock.
      if (isLater && meta.number('accepted_era') === life) putTimeRecord(meta, seen);
      uncommitted = seen.time;
    },
    committed: () => {
      written = uncommitted ?? written;
      uncommitted = undefined;
    },
  };
}

/** The recorded time of a store whose commits are those of `queue`. */
export function timeOf(time: FileTime, queue: CommitQueue): RecordedTime {
  return {
    read: async () =>
      queue.read(() => ({
        recorded: time.recorded(),
        current: time.current(),
        outages: time.outages(),
      })),
    note: async (...noted) => {
      time.note(...noted);
      if (time.isDue()) await queue.write(() => undefined);
    },
    startAnew: (at) => {
      time.startAnew();
      if (at !== undefined) time.set(at);
    },
  };
}

/** A recorded time, with the uptime of that moment. */
interface TimeRecord {
  readonly time: Instant;
  readonly uptime: Uptime;
}

function timeRecord(meta: Meta): TimeRecord | undefined {
  return recordOf(meta.number('recorded_time'), meta.get('recorded_uptime'));
}

function recordOf(time: number | undefined, uptime: string | undefined): TimeRecord | undefined {
  if (time === undefined) return undefined;
  const [passed = '', boot = 'unknown'] = uptime?.split(' ') ?? [];
  return { time: time as Instant, uptime: { boot, passed: milliseconds(Number(passed)) } };
}

/** A recorded time and the uptime since; undefined if the machine was restarted meanwhile, or it is of another. */
export function currentTime(
  recordedTime: number | undefined,
  recordedUptime: string | undefined,
): Instant | undefined {
  const found = recordOf(recordedTime, recordedUptime);
  const { boot, passed } = readUptime();
  if (found === undefined || found.uptime.boot !== boot) return undefined;
  const since = passed - found.uptime.passed;
  return since < 0 ? undefined : after(found.time, milliseconds(since));
}

/** Replaces the recorded time; call it inside a write. */
function putTimeRecord(meta: Meta, { time, uptime }: TimeRecord): void {
  meta.put('recorded_time', time);
  meta.put('recorded_uptime', `${uptime.passed} ${uptime.boot}`);
}
