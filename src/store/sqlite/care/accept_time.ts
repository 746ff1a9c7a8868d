// Owns going on after the file store had recorded a time that was wrong: what that time left behind ends.

import type { DatabaseSync } from 'node:sqlite';

import { after, type Instant, milliseconds } from '../../../lib/clock.ts';
import type { Client, StoredSecret } from '../../../oauth/client.ts';
import type { Gateway } from '../../../oauth/gateway.ts';
import type { Eras } from '../eras.ts';
import { signingKeeper } from '../signing_keys.ts';
import { rowSum } from '../sums.ts';
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
  const keepSigning = signingKeeper(database);
  const keepEnded = secretKeeper(database);
  return {
    accept: (now) => {
      const recorded = time.current() ?? time.recorded() ?? now;
      if (now < recorded) for (const forget of forgotten) forget.run();
      keepSigning(now, recorded);
      keepEnded(now, recorded);
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

type Holder = Pick<Gateway, 'secrets'> & Partial<Pick<Client, 'apiKeys'>>;

/**
 * Has secrets and API keys that ended between two times end at the earlier one, for a clock that is
 * set back to it: what was retired stays so. Call the result inside a write.
 */
function secretKeeper(database: DatabaseSync): (to: Instant, from: Instant) => void {
  const tables = ['client', 'gateway'].map((table) => ({
    select: database.prepare(
      `SELECT programme, id, record FROM ${table} WHERE record LIKE '%"expiresAt"%'`,
    ),
    update: database.prepare(
      `UPDATE ${table} SET record = ?, sum = ? WHERE programme = ? AND id = ?`,
    ),
  }));
  return (to, from) => {
    const ended = (secret: StoredSecret): StoredSecret =>
      secret.expiresAt !== undefined && secret.expiresAt > to && secret.expiresAt <= from
        ? { ...secret, expiresAt: to }
        : secret;
    for (const { select, update } of tables) {
      for (const row of select.all() as unknown as {
        programme: string;
        id: string;
        record: string;
      }[]) {
        const { secrets, apiKeys, ...rest } = JSON.parse(row.record) as Holder;
        const keys = apiKeys === undefined ? {} : { apiKeys: apiKeys.map(ended) };
        const record = JSON.stringify({ ...rest, secrets: secrets.map(ended), ...keys });
        update.run(record, rowSum([row.programme, row.id, record]), row.programme, row.id);
      }
    }
  };
}
