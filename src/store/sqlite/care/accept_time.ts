// Owns accepting a time in the file store after the clock was wrong: grants issued later than that time end.

import type { DatabaseSync } from 'node:sqlite';

import { after, type Instant, milliseconds } from '../../../lib/clock.ts';
import { placeAfter } from '../../../oauth/place.ts';
import { floorAfterSetBack } from '../../kept_texts.ts';
import type { Eras } from '../eras.ts';
import { itemSetBack } from '../items.ts';
import { floorRaiser, markSetBack } from '../kept_texts.ts';
import { revokeOwnTokens } from '../revocations.ts';
import type { RecordedTime } from '../time.ts';

/** The changes of the store when a clock is set; call both inside a write. */
export interface SetTime {
  /**
   * Records `now`, also where a later time is recorded. Grants issued later than `now` would live too
   * long by the time the clock was ahead (FAULTS 11): they are deleted. The era ends, so that their JWTs
   * differ from JWTs issued when that time comes. Revocations name eras and stay (FAULTS 29). Where the
   * clock ahead has removed some of single tokens, logins and own tokens of which they may be end.
   */
  readonly accept: (now: Instant) => void;
  /** Deletes the grants this process issued later than `now`, after another process accepted a time. */
  readonly follow: (now: Instant) => void;
}

/** Uptimes are coarse: the clocks of two servers that accept one time may differ by this much. */
const coarseness = milliseconds(1000);

export function timeSetter(
  database: DatabaseSync,
  time: RecordedTime,
  eras: Eras,
  /** Those that are not written yet. */
  uses: { readonly setBack: (now: Instant) => void },
): SetTime {
  const dropCodes = database.prepare('DELETE FROM code WHERE issued_at > ?');
  const dropLogins = database.prepare('DELETE FROM login WHERE place >= ?');
  const dropForgotten = database.prepare('DELETE FROM login WHERE ends_at <= ?');
  const dropLaterThan = (now: Instant): void => {
    dropCodes.run(now);
    dropLogins.run(placeAfter(now));
  };
  // Both tables hold ends by the wrong clock. Servers soon write their rows again.
  const forgotten = ['login_attempt', 'node_lease'].map((table) =>
    database.prepare(`DELETE FROM ${table}`),
  );
  const raise = floorRaiser(database);
  const setBackMarks = markSetBack(database);
  const setBack = itemSetBack(database);
  const lowerUses = database.prepare('UPDATE secret_use SET used_at = ?1 WHERE used_at > ?1');
  const setBackUses = (now: Instant): void => {
    lowerUses.run(now);
    uses.setBack(now);
  };
  return {
    accept: (now) => {
      const recorded = time.current() ?? time.recorded() ?? now;
      if (now < recorded) {
        for (const forget of forgotten) forget.run();
        raise(floorAfterSetBack(now, recorded));
      }
      if (setBack(now, recorded)) eras.edited();
      setBackMarks(now);
      dropLaterThan(now);
      setBackUses(now);
      if (eras.forgotten() > now) dropForgotten.run(eras.forgotten());
      // Only one such mark is kept: a former one that still counts takes all of its tokens along.
      const former = eras.accepted();
      if (former !== undefined && former.forgotten > now) revokeOwnTokens(database, former.era);
      eras.accept(now);
      time.startAnew();
      time.set(now);
    },
    follow: (now) => {
      dropLaterThan(after(now, coarseness));
      setBackUses(now);
      eras.follow();
      time.startAnew();
    },
  };
}
