// Owns the file store's verbs for its own keeping: time, key check, node numbers, sweeping.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Era, Place } from '../../oauth/grant.ts';
import type { Keeping } from '../keeping.ts';
import { factsText, isFresh, leasedNodes, nextLease, type NodeLease } from '../node_leases.ts';
import type { Db } from '../sql/db.ts';
import { keyCheck } from '../verbs/key_check.ts';
import { sweepVerb } from '../verbs/sweep.ts';
import { type RecordedTime, timeVerbs } from '../verbs/time.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import type { FileTime } from './time.ts';

type KeepingVerbs = Pick<
  Keeping,
  'time' | 'acceptTime' | 'ensureKeyCheck' | 'leaseNode' | 'nodes' | 'sweep'
> & {
  /** Ends what was told to `nodes` by this store; to be called before the queue is closed. */
  readonly fallSilent: () => void;
};

export interface KeepingParts {
  readonly db: Db;
  readonly queue: CommitQueue;
  readonly time: FileTime;
  readonly followed: Era | undefined;
  /** Sets back the uses of secrets that are not written yet. */
  readonly setBackUses: (now: Instant) => void;
  readonly forgetLogin: (place: Place) => void;
}

export function fileKeeping(database: DatabaseSync, parts: KeepingParts): KeepingVerbs {
  const { db, queue, time, followed, setBackUses, forgetLogin } = parts;
  const recorded: RecordedTime = {
    read: () =>
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
  const { life, ...times } = timeVerbs(db, { time: recorded, followed, setBackUses });
  return {
    ...times,
    ensureKeyCheck: keyCheck(db),
    ...nodeLeases(database, queue),
    sweep: sweepVerb(db, { recorded: time.recorded(), life, forgetLogin }),
  };
}

function nodeLeases(
  database: DatabaseSync,
  queue: CommitQueue,
): Pick<KeepingVerbs, 'leaseNode' | 'nodes' | 'fallSilent'> {
  const columns = 'node, holder, expires_at AS expiresAt, facts';
  const own = database.prepare(`SELECT ${columns} FROM node_lease WHERE holder = ?`);
  const all = database.prepare(`SELECT ${columns} FROM node_lease ORDER BY node`);
  const put = database.prepare(
    'REPLACE INTO node_lease (node, holder, expires_at, facts) VALUES (?, ?, ?, ?)',
  );
  const silence = database.prepare('UPDATE node_lease SET facts = NULL WHERE holder = ?');
  const leases = (): readonly NodeLease[] => all.all() as unknown as NodeLease[];
  const holders = new Set<string>();
  return {
    leaseNode: async (now, holder, facts) => {
      const wanted = { holder, facts: factsText(facts) };
      const held = await queue.read(() => own.get(holder) as NodeLease | undefined);
      if (isFresh(held, wanted, now)) return held.node;
      if (facts !== undefined) holders.add(holder);
      return queue.writeFromReserve(() => {
        const lease = nextLease(leases(), wanted, now);
        put.run(lease.node, lease.holder, lease.expiresAt, lease.facts);
        return lease.node;
      });
    },
    nodes: (now) => queue.read(() => leasedNodes(leases(), now)),
    // The number stays taken: tokens may have been named ahead of the clock.
    fallSilent: () => {
      for (const holder of holders) {
        queue.writeFromReserve(() => silence.run(holder)).catch(() => undefined);
      }
      holders.clear();
    },
  };
}
