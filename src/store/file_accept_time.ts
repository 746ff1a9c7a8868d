// Owns going on after the file store had recorded a time that was wrong: what that time left behind ends.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import { rowSum } from './file_sums.ts';
import type { RecordedTime } from './file_time.ts';
import { forever } from './judgement.ts';

/**
 * Takes `now` for the time though a later one was recorded; call the result inside a write. Whatever
 * was issued later than now would live for as long as the clock was ahead (FAULTS 11), so it goes;
 * revocations of later than now would kill what is yet to be issued, so they end now.
 */
export function timeAcceptor(database: DatabaseSync, time: RecordedTime): (now: Instant) => void {
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
  const select = database.prepare(
    'SELECT programme, owner FROM revocation WHERE revoked_until > ? AND revoked_until <> ?',
  );
  const lower = database.prepare(
    'UPDATE revocation SET revoked_until = ?, sum = ? WHERE programme = ? AND owner = ?',
  );
  return (now) => {
    time.set(now);
    for (const drop of dropped) drop.run(now);
    for (const forget of forgotten) forget.run();
    const rows = select.all(now, forever) as unknown as { programme: string; owner: string }[];
    for (const { programme, owner } of rows) {
      lower.run(now, rowSum([programme, owner, now]), programme, owner);
    }
  };
}
