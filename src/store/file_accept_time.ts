// Owns going on after the file store had recorded a time that was wrong: what that time left behind ends.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { Eras } from './file_eras.ts';
import type { RecordedTime } from './file_time.ts';

/**
 * Takes `now` for the time whatever is recorded; call the result inside a write. What was issued
 * later than now would live for as long as the clock was ahead (FAULTS 11), so it goes, and the era
 * ends: JWTs of later than now are told from those issued when that time comes. Revocations go by
 * eras and stay what they are (FAULTS 29).
 */
export function timeAcceptor(
  database: DatabaseSync,
  time: RecordedTime,
  eras: Eras,
): (now: Instant) => void {
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
  return (now) => {
    time.set(now);
    for (const drop of dropped) drop.run(now);
    for (const forget of forgotten) forget.run();
    eras.accept(now);
  };
}
