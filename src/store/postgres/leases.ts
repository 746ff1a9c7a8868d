// Owns the node numbers in PostgreSQL, and the heartbeat: each renewal is a commit that is waited for, and
// so the proof that the store still serves this process.

import { allowedDrift, type Instant } from '../../lib/clock.ts';
import { Unavailable } from '../../oauth/failure.ts';
import type { StoreHealth } from '../keeping.ts';
import { leaseSpan, allTaken, nodes } from '../node_leases.ts';
import type { Renew } from '../verbs/leases.ts';
import { type DatabaseClock, databaseNow } from './clock.ts';
import { untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';

/** A row a number: a node takes one that no other transaction is about to take. */
export const leaseTable = `
CREATE TABLE node_lease (
  node integer PRIMARY KEY,
  holder text,
  expires_at bigint NOT NULL,
  facts text,
  beat_at bigint,
  beat_clock bigint
) WITH (fillfactor = 50);
CREATE INDEX node_lease_holder ON node_lease (holder) WHERE holder IS NOT NULL;
INSERT INTO node_lease (node, expires_at) SELECT node, 0 FROM generate_series(0, ${nodes - 1}) AS node;
`;

/** Milliseconds without a heartbeat after which nothing is answered that rests on the store. */
const trusted = 3000;
/** Milliseconds between two heartbeats, which come every second, that are an outage. */
const missedAfter = 2000;
/** Milliseconds after which another node takes over the upkeep of the store. */
const upkeepAfter = 10_000;

// One that would outlast a new one is from before a jump of the clock, unless a server has renewed it just
// now: then the one that asks was suspended (FAULTS 34).
const isHeld = (row: string): string =>
  `(${row}.expires_at > $2 AND (${row}.expires_at <= $2 + ${leaseSpan + allowedDrift}
    OR ${row}.facts IS NOT NULL AND ${row}.beat_clock > ${databaseNow} - ${trusted}))`;

/**
 * Takes the lowest number that is free, or renews the holder's own, and notes an outage that it has met.
 * `$5` is when this process had the store last: where it never had, any node counts.
 */
const renewal: Statement = {
  name: 'renew_lease',
  text: `WITH own AS (SELECT node FROM node_lease WHERE holder = $1),
    free AS (
      SELECT node FROM node_lease WHERE NOT EXISTS (SELECT FROM own) AND NOT ${isHeld('node_lease')}
      ORDER BY node LIMIT 1 FOR UPDATE SKIP LOCKED
    ), served AS (
      SELECT coalesce($5::bigint, (SELECT max(beat_at) FROM node_lease
        WHERE holder IS NOT NULL AND beat_at <= $2)) AS last_at
    ), missed AS (
      INSERT INTO outage (from_at, to_at) SELECT last_at, $2 FROM served
      WHERE $4::boolean AND last_at < $2 - ${missedAfter} ON CONFLICT DO NOTHING
    )
    UPDATE node_lease SET holder = $1, expires_at = $2 + ${leaseSpan}, facts = $3, beat_at = $2,
      beat_clock = ${databaseNow}
    WHERE node = (SELECT node FROM own UNION ALL SELECT node FROM free LIMIT 1)
      AND (holder = $1 OR NOT ${isHeld('node_lease')})
    RETURNING node, EXISTS (
      SELECT FROM node_lease AS other WHERE other.holder IS NOT NULL AND other.facts IS NOT NULL
        AND other.node < node_lease.node
        AND abs(other.beat_clock - node_lease.beat_clock) < ${upkeepAfter}
    )`,
  isRead: false,
};

const isIn: Statement = {
  name: 'jetway_confirmed',
  text: 'SELECT 1 FROM node_lease WHERE holder = $1 AND beat_at >= $2',
  isRead: true,
};

/** Another node may be faster this often, where a lease ends in the very moment of its renewal. */
const mostTries = 5;

export interface LeaseParts {
  /** Of the heartbeat alone: nothing else may keep it waiting. */
  readonly link: Link;
  readonly clock: DatabaseClock;
  /** A server's: it answers nothing without a heartbeat. */
  readonly isServer: boolean;
}

export interface Leases {
  readonly renew: Renew;
  /** Why nothing may be answered that rests on the store; undefined where it may. */
  readonly refusal: () => Unavailable | undefined;
  readonly health: () => StoreHealth;
  /** Whether another node sees to the upkeep of the store. */
  readonly isRelieved: () => boolean;
  /** Whether a database has the last commit that was confirmed to this process; false where there was none. */
  readonly areIn: (database: Pick<Link, 'run'>) => Promise<boolean>;
}

export function nodeLeases({ link, clock, isServer }: LeaseParts): Leases {
  /** By `performance.now`. */
  let beatAt: number | undefined;
  /** The last commit that this process knows of: its holder, and the store's time of it. */
  let confirmed: readonly [holder: string, at: Instant] | undefined;
  let isRelieved = false;
  const refusal = (): Unavailable | undefined => {
    if (!isServer || beatAt === undefined) return undefined;
    if (performance.now() - beatAt <= trusted) return undefined;
    const why = link.trouble === undefined ? '' : ` (${link.trouble.message})`;
    return new Unavailable(`store: no commit was confirmed for ${trusted / 1000} s${why}`);
  };
  return {
    refusal,
    health: () => {
      const why = refusal();
      return why === undefined ? { status: 'ready' } : { status: 'away', detail: why.message };
    },
    isRelieved: () => isRelieved,
    renew: async (now, { holder, facts }) => {
      if (isServer) await clock.ask(link);
      for (let tries = 0; tries < mostTries; tries += 1) {
        const sent = performance.now();
        // The monotonic clock leaves out a suspension of the machine (FAULTS 34).
        const lastAt =
          beatAt === undefined || confirmed === undefined
            ? null
            : Math.min(Math.floor(now - (sent - beatAt)), confirmed[1]);
        const values = [holder, now, facts, isServer, lastAt];
        const until = link.deadline();
        const { result } = await untilKnown(until, () => link.run(renewal, values, until));
        const [row] = result;
        if (row === undefined) continue;
        const [node, hasSenior] = row;
        beatAt = sent;
        confirmed = [holder, now];
        isRelieved = isServer && hasSenior === true;
        return Number(node);
      }
      throw allTaken();
    },
    areIn: async (database) =>
      confirmed !== undefined && (await database.run(isIn, confirmed)).length > 0,
  };
}
