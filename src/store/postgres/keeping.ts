// Owns PostgreSQL's verbs for the store's own keeping: time, key check, node numbers.

import { after, type Instant } from '../../lib/clock.ts';
import { placeAfter } from '../../oauth/place.ts';
import type { Keeping } from '../keeping.ts';
import { type Item, type Kind, type KindDescription, kindNames, kinds } from '../kinds.ts';
import {
  allTaken,
  factsText,
  isFresh,
  leasedNodes,
  leaseSpan,
  type NodeLease,
} from '../node_leases.ts';
import type { changer } from './changes.ts';
import { readEpoch } from './epoch.ts';
import type { Link } from './link/link.ts';
import type { Found, Statement } from './link/statement.ts';
import { listRows, readItem } from './registered_rows.ts';

type KeepingVerbs = Pick<
  Keeping,
  'time' | 'recordTime' | 'acceptTime' | 'ensureKeyCheck' | 'leaseNode' | 'nodes'
>;

const read = (name: string, text: string): Statement => ({ name, text, isRead: true });
const write = (name: string, text: string): Statement => ({ name, text, isRead: false });

const getMeta = read('get_meta', 'SELECT value FROM meta WHERE name = $1');
const keepFirst = write(
  'keep_first',
  'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);
const raise = write(
  'record_time',
  `INSERT INTO meta AS kept (name, value) VALUES ('recorded_time', $1::bigint::text)
   ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE kept.value::bigint < $1::bigint`,
);
const accept = write(
  'accept_time',
  `WITH era AS (
     UPDATE epoch SET accepted_era = era, accepted_time = $1, era = era + 1, registrations = registrations + 1
   ), time AS (
     INSERT INTO meta (name, value) VALUES ('recorded_time', $1::bigint::text)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value
   ), codes AS (DELETE FROM code WHERE issued_at > $1
   ), attempts AS (DELETE FROM login_attempt WHERE $3
   ), leases AS (UPDATE node_lease SET holder = '', expires_at = 0, facts = NULL WHERE $3)
   DELETE FROM login WHERE place >= $2`,
);
const drop = write(
  'drop_later',
  'WITH codes AS (DELETE FROM code WHERE issued_at > $1) DELETE FROM login WHERE place >= $2',
);
const own = read('find_lease', 'SELECT node, expires_at, facts FROM node_lease WHERE holder = $1');
const told = read(
  'find_leases',
  'SELECT node, holder, expires_at, facts FROM node_lease WHERE facts IS NOT NULL',
);
const lease = write(
  'lease_node',
  // A lease that would outlast a whole new one is from before a jump of the clock.
  `WITH own AS (UPDATE node_lease SET expires_at = $2, facts = $4 WHERE holder = $1 RETURNING node), free AS (
     SELECT node FROM node_lease
     WHERE (expires_at <= $3 OR expires_at > $2) AND NOT EXISTS (SELECT FROM own)
     ORDER BY node LIMIT 1 FOR UPDATE SKIP LOCKED
   ), taken AS (
     UPDATE node_lease SET holder = $1, expires_at = $2, facts = $4 FROM free WHERE node_lease.node = free.node
     RETURNING node_lease.node
   )
   SELECT node FROM own UNION ALL SELECT node FROM taken`,
);

export interface KeepingParts {
  readonly link: Link;
  readonly care: Link;
  readonly change: ReturnType<typeof changer>;
}

/** How often the recorded time is written. */
const recordedEvery = 30_000;

export function keepingVerbs({ link, care, change }: KeepingParts): KeepingVerbs {
  const recordedTime = async (): Promise<Instant | undefined> => {
    const [[value] = []] = await care.run(getMeta, ['recorded_time']);
    return value === undefined ? undefined : (Number(value) as Instant);
  };
  let followed: number | undefined | null = null;
  let written: Instant | undefined;
  const acceptedElsewhere = async (): Promise<Instant | undefined> => {
    const { accepted } = await readEpoch(care);
    if (followed === null) followed = accepted?.era;
    return accepted?.era === followed ? undefined : accepted?.time;
  };
  return {
    time: async () => ({
      recorded: await recordedTime(),
      current: undefined,
      acceptedElsewhere: await acceptedElsewhere(),
      outages: [],
    }),
    recordTime: async (now) => {
      if (written !== undefined && now - written < recordedEvery) return;
      if ((await acceptedElsewhere()) !== undefined) return;
      await link.run(raise, [now]);
      written = now;
    },
    acceptTime: async (now, acceptedBy) => {
      if (acceptedBy === 'another_process')
        await care.run(drop, [now + 1000, placeAfter((now + 1000) as Instant)]);
      else {
        const recorded = (await recordedTime()) ?? now;
        await setBack(care, change, now, recorded);
        await care.run(accept, [now, placeAfter(now), now < recorded]);
      }
      followed = (await readEpoch(care)).accepted?.era;
      written = undefined;
    },
    ensureKeyCheck: async (candidate, opens) => {
      const kept = async (): Promise<string | undefined> => {
        const [[value] = []] = await care.run(getMeta, ['key_check']);
        return value as string | undefined;
      };
      const standing = await kept();
      if (standing !== undefined) return standing;
      const [key] = await everywhere(care, 'signing_key');
      if (key !== undefined && !opens(key)) return undefined;
      await care.run(keepFirst, ['key_check', candidate]);
      return kept();
    },
    leaseNode: async (now, holder, about) => {
      const facts = factsText(about);
      const [row = []] = await care.run(own, [holder]);
      const held = leaseOf([row[0] ?? null, holder, ...row.slice(1)]);
      if (row.length > 0 && isFresh(held, { holder, facts }, now)) return held.node;
      const [[taken] = []] = await care.run(lease, [holder, after(now, leaseSpan), now, facts]);
      if (taken === undefined) throw allTaken();
      return Number(taken);
    },
    nodes: async (now) => leasedNodes((await care.run(told, [])).map(leaseOf), now),
  };
}

function leaseOf([node, holder, expiresAt, facts]: readonly Found[]): NodeLease {
  return { node, holder, expiresAt, facts } as NodeLease;
}

/** The items of a kind in every programme, in the order of registration. */
async function everywhere<K extends Kind>(care: Link, kind: K): Promise<readonly Item<K>[]> {
  const rows = await care.run(listRows, [kind, null, null, null]);
  return rows.flatMap((row) => readItem(kind, row) ?? []);
}

/** The items of all kinds as they are after a clock was set back. */
async function setBack(
  care: Link,
  change: KeepingParts['change'],
  to: Instant,
  before: Instant,
): Promise<void> {
  const changeAll = async <K extends Kind>(
    kind: K,
    changeOne: (item: Item<K>) => Item<K>,
  ): Promise<void> => {
    for (const item of await everywhere(care, kind)) {
      const id = kinds[kind].idOf(item);
      await change((steps) => steps.change(kind, item.programme, id, changeOne));
    }
  };
  for (const kind of kindNames) {
    const { setBack: back } = kinds[kind] as KindDescription<typeof kind>;
    if (back) await changeAll(kind, (item) => back(item, to, before));
  }
}
