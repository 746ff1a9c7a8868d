// Owns the database's clock, as this process knows it between two answers.

import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';

/** SQL of the database's time in milliseconds since the epoch. */
export const databaseNow = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** SQL that records the database's time beside a time of the servers, if `recorded` has rows. */
export const putClock = `INSERT INTO meta (name, value) SELECT 'recorded_clock', (${databaseNow})::text
  WHERE EXISTS (SELECT FROM recorded) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const ask: Statement = { name: 'ask_clock', text: `SELECT ${databaseNow}`, isRead: true };

/** Milliseconds for which an answer counts: clocks of machines drift apart by less than one in that time. */
const memory = 60_000;

/** What an answer tells: between two instants of this process's clock, the database's was this. */
interface Sample {
  readonly at: number;
  /** The database's time less `performance.now`, wrong by half of the round trip at most. */
  readonly offset: number;
  readonly roundTrip: number;
}

export interface DatabaseClock {
  /** Milliseconds since the epoch. */
  readonly wall: () => number;
  /** Asks the database; rejects with the errors of `Link.run`. The link must have nothing else to do. */
  readonly ask: (link: Link) => Promise<void>;
}

/** The clock goes by the answer of the last minute that took the shortest round trip. */
export function databaseClock(): DatabaseClock {
  let samples: readonly Sample[] = [];
  let offset = Date.now() - performance.now();
  return {
    wall: () => performance.now() + offset,
    ask: async (link) => {
      const sent = performance.now();
      const [[time] = []] = await link.run(ask, []);
      const at = performance.now();
      const roundTrip = at - sent;
      // The database counts whole milliseconds.
      const sample = { at, roundTrip, offset: Number(time) + 0.5 - (sent + at) / 2 };
      // Answers that contradict this one are from before somebody set that clock, or of another primary.
      const agreeing = samples.filter(
        (one) =>
          one.at > at - memory &&
          Math.abs(one.offset - sample.offset) <= (one.roundTrip + roundTrip) / 2 + 1,
      );
      samples = [...agreeing, sample];
      offset = samples.reduce((best, one) => (one.roundTrip < best.roundTrip ? one : best)).offset;
    },
  };
}
