// Owns a schema of PostgreSQL as a place that commands care for, over one connection to the primary.

import { milliseconds } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Era } from '../../oauth/grant.ts';
import { acceptedIn } from '../accepted_time.ts';
import { chunkRows, numbered, numberOf, type Place, type Row } from '../admin/place.ts';
import type { Environment } from '../contract.ts';
import { leaseSpan } from '../node_leases.ts';
import { askedRows, insertedFrom, isInsert, joined, overAsked } from '../sql/statement.ts';
import { tables } from '../sql/tables.ts';
import { StoreUnusable } from '../unusable.ts';
import { databaseNow } from './clock.ts';
import type { Link } from './link/link.ts';
import { type Cluster, Primary } from './link/primary.ts';
import { serversOf } from './link/servers.ts';
import { type PostgresLocation, postgresName } from './location.ts';
import { expectKnown, findMeta, schemaVersion } from './schema.ts';
import { serverFacts } from './server_facts.ts';
import { arraysOf } from './texts.ts';

/** Where a store is, and its password, asked at each connect. */
export interface StoreAccess {
  readonly location: PostgresLocation;
  readonly password?: () => string;
}

export interface PostgresPlace extends Place {
  readonly cluster: Cluster | undefined;
  /** Runs statements on the place's connection, for what is written for a link. */
  readonly link: Pick<Link, 'run'>;
  /**
   * Locks all tables until the transaction ends, in which this is the first statement: nobody writes
   * meanwhile, and a server that starts waits.
   * @throws StoreUnusable where servers run
   */
  readonly hold: () => Promise<void>;
  /** Removes all rows of some tables, or of all; the store keeps its tables and its `meta`. */
  readonly empty: (tables?: readonly string[]) => Promise<void>;
  /** Every statement of a process that has the store open fails from then on. */
  readonly hide: () => Promise<void>;
  /** A plan that was made for an empty table reads all of it: whoever fills tables has them analysed. */
  readonly analyse: () => Promise<void>;
  readonly close: () => void;
}

/** A copy of many rows, or a vacuum in the way of a lock, may take so long. */
const patience = { statement: milliseconds(600_000), lock: milliseconds(10_000) };

const stored: readonly string[] = tables.map(({ name }) => name);
/** Beside `meta`, which keeps its name in a store that was moved away. */
const ownTables: readonly string[] = [...stored, 'epoch', 'node_lease'];

/** Rows. Tables that the planner takes for larger are not counted, but sampled. */
const most = { counted: 1_000_000, sampled: 20_000 };

/** @throws Unavailable where no primary answers */
export async function openPlace({ location, password }: StoreAccess): Promise<PostgresPlace> {
  // Each statement runs a few times at most.
  const primary = new Primary({ ...serversOf(location, password), areStatementsNamed: false });
  const connection = await primary.dial(patience, () => undefined);
  const link: PostgresPlace['link'] = {
    run: ({ text }, values) =>
      connection.run({ name: '', text, isRead: false }, values, patience.statement),
  };
  const send = (text: string, values: Parameters<Link['run']>[1] = []) =>
    link.run({ name: '', text, isRead: false }, values);
  const run: Place['run'] = async (text, values = {}) => {
    const asked = numbered(text, values, '$');
    return (await send(asked.text, asked.values)) as readonly Row[];
  };
  // A file is read or written between two statements. Whole tables are read: a scan is right.
  await send(
    `SELECT set_config('idle_in_transaction_session_timeout', '0', false),
      set_config('enable_seqscan', 'on', false), set_config('enable_hashjoin', 'on', false),
      set_config('plan_cache_mode', 'auto', false)`,
  );
  const place: PostgresPlace = {
    name: postgresName(location),
    schema: schemaVersion,
    cluster: primary.cluster,
    link,
    run,
    async *chunks(text) {
      await send(`DECLARE chunks NO SCROLL CURSOR FOR ${text}`);
      for (;;) {
        const rows = (await send(`FETCH ${chunkRows} FROM chunks`)) as readonly Row[];
        if (rows.length > 0) yield rows;
        if (rows.length < chunkRows) break;
      }
      await send('CLOSE chunks');
    },
    write: async (asked, rows) => {
      const [from, body] = [askedRows(asked), overAsked(asked.text)];
      const text = isInsert(asked) ? insertedFrom(body, from) : joined(body, from);
      await send(text, arraysOf(asked, rows));
    },
    missing: async (asked, questions) => {
      const text = `SELECT count(*) FROM ${askedRows(asked)} WHERE NOT EXISTS (${overAsked(asked.text)})`;
      const [[count] = []] = await send(text, arraysOf(asked, questions));
      return Number(count);
    },
    transaction: async (body) => {
      await send('BEGIN ISOLATION LEVEL REPEATABLE READ');
      let result;
      try {
        result = await body();
      } catch (error) {
        // A lost connection has rolled back by itself.
        await send('ROLLBACK').catch(() => undefined);
        throw error;
      }
      await send('COMMIT');
      return result;
    },
    life: async () => {
      const [row = []] = await run(
        'SELECT era, forgotten_since, forgotten_until, accepted_era, accepted_time FROM epoch',
      );
      const [era, since, forgotten, acceptedEra, acceptedTime] = row as (number | null)[];
      const accepted = acceptedIn(acceptedEra, acceptedTime, forgotten);
      return present({ era: era as Era, forgottenSince: since as never, accepted });
    },
    putLife: async ({ era, forgottenSince = 0, accepted }) => {
      // The database's clock at that time is another's.
      await run(`DELETE FROM meta WHERE name = 'recorded_clock'`);
      // Caches of registered things are of the epoch before: it rises.
      await run(
        `UPDATE epoch SET registrations = registrations + 1, era = :era, forgotten_since = :since,
           forgotten_until = :forgotten, accepted_era = :accepted, accepted_time = :time`,
        {
          era,
          since: forgottenSince,
          forgotten: accepted?.forgotten ?? 0,
          accepted: accepted?.era ?? null,
          time: accepted?.time ?? null,
        },
      );
    },
    tables: async () => stored,
    count: async (table) => {
      const about = `SELECT reltuples::bigint FROM pg_class WHERE oid = '${table}'::regclass`;
      const rows = await numberOf(place, about);
      if (rows >= most.counted) return { rows, isExact: false };
      return { rows: await numberOf(place, `SELECT count(*) FROM ${table}`), isExact: true };
    },
    // Whole pages from all over it.
    sample: (table, { rows }) =>
      rows <= most.sampled ? table : `${table} TABLESAMPLE SYSTEM (${(100 * most.sampled) / rows})`,
    size: (names) => {
      const which = names === undefined ? '' : ` AND relname IN ('${names.join("', '")}')`;
      return numberOf(
        place,
        `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
          WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'${which}`,
      );
    },
    // Reading all pages is the business of PostgreSQL's own checks (pg_amcheck).
    ownDamage: async () => [],
    server: () => serverFacts(place),
    hold: async () => {
      await send(`LOCK TABLE ${[...ownTables, 'meta'].join(', ')} IN EXCLUSIVE MODE`);
      // The names of the servers with a heartbeat, by the database's clock: leases end by that of the servers,
      // which may be years from it (FAULTS 28).
      const found = await run(
        `SELECT coalesce(facts::json ->> 'name', holder) FROM node_lease
         WHERE facts IS NOT NULL AND abs(beat_clock - ${databaseNow}) < ${leaseSpan} ORDER BY node`,
      );
      if (found.length > 0) {
        throw new StoreUnusable(
          `store ${place.name} is in use by ${found.map(([name]) => String(name)).join(', ')}`,
          'stop the servers; one that was killed counts for two minutes more',
        );
      }
      // Node numbers are free again, and no outage is counted from them.
      await send(
        `UPDATE node_lease SET holder = NULL, expires_at = 0, facts = NULL, beat_at = NULL
         WHERE holder IS NOT NULL`,
      );
    },
    empty: async (names = stored) => {
      await send(`TRUNCATE ${names.join(', ')} RESTART IDENTITY`);
    },
    hide: async () => {
      for (const name of ownTables) await send(`ALTER TABLE ${name} RENAME TO ${name}_moved`);
    },
    analyse: async () => {
      await send(`ANALYZE ${[...ownTables, 'meta'].join(', ')}`);
    },
    close: () => connection.end(),
  };
  return place;
}

/** Runs `use` with a place, which is closed with it. */
export async function withPlace<Result>(
  access: StoreAccess,
  use: (place: PostgresPlace) => Promise<Result>,
): Promise<Result> {
  const place = await openPlace(access);
  try {
    return await use(place);
  } finally {
    place.close();
  }
}

/**
 * Expects that there is a store: a command that cares for one makes none.
 * @throws StoreUnusable where there is no store that this Jetway knows
 */
export async function expectStore(
  { link, name }: PostgresPlace,
  environment?: Environment,
): Promise<void> {
  const meta = await findMeta(link, name);
  if (meta === undefined) {
    throw new StoreUnusable(
      `there is no store at ${name}`,
      'name its schema (?schema=), or start a server, which makes one',
    );
  }
  expectKnown(meta, name, environment);
}
