// Owns going on after the file store had recorded a time that was wrong: what that time left behind ends.

import type { DatabaseSync } from 'node:sqlite';

import { after, type Instant, milliseconds } from '../../../lib/clock.ts';
import type { Eras } from '../eras.ts';
import { registrySetBack } from '../registered_rows.ts';
import type { RecordedTime } from '../time.ts';

/** What becomes of a store whose servers' clock is set; both are to be called inside a write. */
export interface SetTime {
  /**
   * Takes `now` for the time whatever is recorded. What was issued later than now would live for as
   * long as the clock was ahead (FAULTS 11), so it goes, and the era ends: JWTs of later than now are
   * told from those issued when that time comes. Revocations go by eras and stay what they are
   * (FAULTS 29).
   */
  readonly accept: (now: Instant) => void;
  /** Ends what this process has issued later than now since another one has accepted a time. */
  readonly follow: (now: Instant) => void;
}

/** Of two servers that go on at one time, by uptimes that are coarse, one may be this far ahead. */
const coarseness = milliseconds(1000);

export function timeSetter(database: DatabaseSync, time: RecordedTime, eras: Eras): SetTime {
  const dropped = [
    database.prepare('DELETE FROM code WHERE issued_at > ?'),
    // Tokens of a family that is gone are worth nothing, and are swept at their end.
    database.prepare('DELETE FROM family WHERE created_at > ?'),
    database.prepare('DELETE FROM access_token WHERE issued_at > ?'),
  ];
  // Both end by themselves at times that are of the wrong clock, and are soon what they were.
  const forgotten = ['login_attempt', 'node_lease'].map((table) =>
    database.prepare(`DELETE FROM ${table}`),
  );
  const setBack = registrySetBack(database);
  return {
    accept: (now) => {
      const recorded = time.current() ?? time.recorded() ?? now;
      if (now < recorded) for (const forget of forgotten) forget.run();
      setBack(now, recorded);
      for (const drop of dropped) drop.run(now);
      eras.accept(now);
      time.startAnew();
      time.set(now);
    },
    follow: (now) => {
      for (const drop of dropped) drop.run(after(now, coarseness));
      eras.follow();
      time.startAnew();
    },
  };
}
