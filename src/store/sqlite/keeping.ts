// Owns the file store's verbs for its own keeping: time, key check, node numbers, sweeping.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Place } from '../../oauth/grant.ts';
import type { Keeping } from '../keeping.ts';
import { factsText, isFresh, leasedNodes, nextLease, type NodeLease } from '../node_leases.ts';
import type { Db } from '../sql/db.ts';
import { sweepVerb } from '../verbs/sweep.ts';
import { timeSetter } from './care/accept_time.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import type { Freshness } from './commits/freshness.ts';
import type { Eras } from './eras.ts';
import { everywhere } from './items.ts';
import { metaOf } from './meta.ts';
import type { RecordedTime } from './time.ts';

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
  readonly fresh: Freshness;
  readonly eras: Eras;
  readonly time: RecordedTime;
  /** Sets back the uses of secrets that are not written yet. */
  readonly setBack: (now: Instant) => void;
  readonly forgetLogin: (place: Place) => void;
}

export function fileKeeping(database: DatabaseSync, parts: KeepingParts): KeepingVerbs {
  const { db, queue, fresh, eras, time, setBack, forgetLogin } = parts;
  const setTime = timeSetter(database, time, eras, { setBack });
  const sweep = sweepVerb(db, { recorded: time.recorded(), life: eras.followed, forgetLogin });
  return {
    time: async (now) => {
      if (now !== undefined) {
        time.note(now);
        if (time.isDue()) await queue.write(() => undefined);
      }
      return queue.read(() => ({
        recorded: time.recorded(),
        current: time.current(),
        acceptedElsewhere: eras.acceptedElsewhere()?.time,
        outages: time.outages(),
      }));
    },
    acceptTime: (now, acceptedBy) =>
      queue.writeFromReserve(() => {
        fresh.forget();
        if (acceptedBy === 'another_process') setTime.follow(now);
        else setTime.accept(now);
      }),
    ensureKeyCheck: keyCheck(database, queue),
    ...nodeLeases(database, queue),
    sweep: async (now, limit) => {
      // Before this process follows an accepted time, new rows of other processes may be ended by its clock.
      const elsewhere = await queue.read(eras.acceptedElsewhere);
      return elsewhere === undefined ? sweep(now, limit) : 0;
    },
  };
}

function keyCheck(database: DatabaseSync, queue: CommitQueue): Keeping['ensureKeyCheck'] {
  const meta = metaOf(database);
  const all = everywhere(database);
  const kept = (): string | undefined => meta.get('key_check');
  return async (candidate, opens) => {
    const found = await queue.read(kept);
    if (found !== undefined) return found;
    return queue.writeFromReserve(() => {
      const standing = kept();
      if (standing !== undefined) return standing;
      const [key] = all('signing_key');
      if (key !== undefined && !opens(key)) return undefined;
      meta.put('key_check', candidate);
      return candidate;
    });
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
