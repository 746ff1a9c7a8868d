// Owns the verbs of node numbers: who holds one, and what the processes of a store tell each other beside it.
// node_leases.ts decides who gets which.

import { allowedDrift, type Instant } from '../../lib/clock.ts';
import type { Keeping } from '../keeping.ts';
import {
  factsText,
  isFresh,
  leasedNodes,
  leaseSpan,
  nextLease,
  type NodeLease,
} from '../node_leases.ts';
import type { Db } from '../sql/db.ts';
import { insertText, statement } from '../sql/statement.ts';
import { integer, nullable, plainTable, text, type Value } from '../sql/table.ts';
import { untilDone } from './tries.ts';

/** A backend may make a table that has more columns. */
const leases = plainTable(
  'node_lease',
  { key: ['node'] },
  { node: integer(), holder: text(), expires_at: integer<Instant>(), facts: nullable(text()) },
);
const { columns, key: row, names } = leases;

const find = statement(
  'find_lease',
  columns,
  `SELECT ${names.join(', ')} FROM node_lease WHERE holder = :holder OR expires_at > :now`,
  { types: { now: 'integer' } },
);

const take = statement(
  'take_lease',
  columns,
  // Not where another has it by now (see `nextLease`).
  insertText(
    leases,
    `ON CONFLICT (node) DO UPDATE
      SET holder = excluded.holder, expires_at = excluded.expires_at, facts = excluded.facts
      WHERE node_lease.holder = excluded.holder
        OR node_lease.expires_at <= excluded.expires_at - ${leaseSpan}
        OR node_lease.expires_at > excluded.expires_at + ${allowedDrift}`,
  ),
  { row, isUrgent: true },
);

const silence = statement(
  'silence_lease',
  columns,
  'UPDATE node_lease SET facts = NULL WHERE holder = :holder',
  { row: ['holder'], isUrgent: true },
);

type Wanted = Pick<NodeLease, 'holder' | 'facts'>;

/** Takes or renews a node number; @throws Unavailable */
export type Renew = (now: Instant, wanted: Wanted) => Promise<number>;

export interface LeaseVerbs extends Pick<Keeping, 'leaseNode' | 'nodes'> {
  /** Ends what was told to `nodes` by this store; to be called before its connections are closed. */
  readonly fallSilent: () => Promise<void>;
}

const tooFast = 'node numbers are taken faster than this process can have one';

/** @param renew of a backend whose renewal is a heartbeat; else a lease is written once half of it is over */
export function leaseVerbs(db: Db, renew: Renew = renewal(db)): LeaseVerbs {
  const read = db.bulkReader(find, (rows) => rows.map(leaseOf));
  const quiet = db.writer(silence);
  const holders = new Set<string>();
  return {
    leaseNode: (now, holder, facts) => {
      if (facts !== undefined) holders.add(holder);
      return renew(now, { holder, facts: factsText(facts) });
    },
    nodes: async (now) => {
      const [found = []] = await read([{ holder: null, now }]);
      return leasedNodes(found, now);
    },
    // The number stays taken: tokens may have been named ahead of the clock. The others learn it from the end
    // of the lease otherwise.
    fallSilent: async () => {
      const told = [...holders];
      holders.clear();
      await Promise.all(told.map((holder) => quiet({ holder }).catch(() => undefined)));
    },
  };
}

function renewal(db: Db): Renew {
  const read = db.bulkReader(find, (rows) => rows.map(leaseOf));
  const put = db.writer(take);
  const renewOnce = async (...[now, wanted]: Parameters<Renew>): Promise<number | undefined> => {
    const [found = []] = await read([{ holder: wanted.holder, now }]);
    const own = found.find(({ holder }) => holder === wanted.holder);
    if (isFresh(own, wanted, now)) return own.node;
    const { node, holder, expiresAt, facts } = nextLease(found, wanted, now);
    const isTaken = await put({ node, holder, expires_at: expiresAt, facts });
    return isTaken === true ? node : undefined;
  };
  // One after another: all that ask at once would want the same number.
  let last: Promise<unknown> = Promise.resolve();
  return (...asked) => {
    const next = last.then(() => untilDone(tooFast, () => renewOnce(...asked)));
    last = next.catch(() => undefined);
    return next;
  };
}

function leaseOf([node, holder, expiresAt, facts]: readonly Value[]): NodeLease {
  return {
    node: Number(node),
    holder: String(holder),
    expiresAt: expiresAt as Instant,
    facts: facts as string | null,
  };
}
