// Owns reading the rows and single values of a PostgreSQL store for another store, and filling its tables
// from those of another; each inside a transaction of the session.

import type { Instant } from '../../../lib/clock.ts';
import { present } from '../../../lib/present.ts';
import type { Era } from '../../../oauth/grant.ts';
import { acceptedIn } from '../../accepted_time.ts';
import type { RowSource, RowTarget } from '../../carry/carry.ts';
import {
  type CarriedTable,
  chunkRows,
  factsIn,
  metaOfFacts,
  type Row,
  type StoreFacts,
} from '../../carry/tables.ts';
import type { Parameter } from '../link/statement.ts';
import type { Session } from './session.ts';

/** The single values that stand in `meta`, by name. */
export async function metaOf({ run }: Session): Promise<ReadonlyMap<string, string>> {
  return new Map((await run('SELECT name, value FROM meta')) as readonly [string, string][]);
}

export async function putMeta(
  { run }: Session,
  values: Readonly<Record<string, string | number>>,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await run(
      `INSERT INTO meta (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [name, String(value)],
    );
  }
}

export async function dropMeta({ run }: Session, name: string): Promise<void> {
  await run('DELETE FROM meta WHERE name = $1', [name]);
}

export async function postgresFacts(session: Session): Promise<StoreFacts> {
  const meta = await metaOf(session);
  const [row = []] = await session.run(
    'SELECT era, forgotten_since, forgotten_until, accepted_era, accepted_time FROM epoch',
  );
  const [era, since, forgotten, acceptedEra, acceptedTime] = row as (number | null)[];
  return present({
    ...factsIn((name) => meta.get(name)),
    era: era as Era,
    forgottenSince: since as Instant,
    accepted: acceptedIn(acceptedEra, acceptedTime, forgotten),
  });
}

/** Caches of registered things are of the epoch before: it rises. */
export async function putFacts(session: Session, facts: StoreFacts): Promise<void> {
  const { accepted, forgottenSince = 0, ...others } = facts;
  await putMeta(session, metaOfFacts(others));
  // The database's clock at that time is another's.
  await dropMeta(session, 'recorded_clock');
  await session.run(
    `UPDATE epoch SET registrations = registrations + 1, era = $1, forgotten_since = $2,
       forgotten_until = $3, accepted_era = $4, accepted_time = $5`,
    [
      facts.era,
      forgottenSince,
      accepted?.forgotten ?? 0,
      accepted?.era ?? null,
      accepted?.time ?? null,
    ],
  );
}

/** The rows of the store as its transaction sees them. */
export function postgresRows({ name, run }: Session): RowSource {
  return {
    name,
    async *rows({ name: table, columns, orderBy }: CarriedTable) {
      await run(
        `DECLARE carried NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${orderBy}`,
      );
      for (;;) {
        const rows = (await run(`FETCH ${chunkRows} FROM carried`)) as readonly Row[];
        if (rows.length > 0) yield rows;
        if (rows.length < chunkRows) break;
      }
      await run('CLOSE carried');
    },
  };
}

const arrayTypes = { text: 'text[]', integer: 'bigint[]', blob: 'bytea[]' } as const;

/** Puts rows into empty tables. */
export function postgresTarget({ name, run, one }: Session): RowTarget {
  return {
    name,
    put: async ({ name: table, columns, types }, rows) => {
      const list = columns.join(', ');
      const arrays = types.map((type, index) => `$${index + 1}::${arrayTypes[type]}`).join(', ');
      await run(
        `INSERT INTO ${table} (${list}) SELECT ${list}
         FROM unnest(${arrays}) WITH ORDINALITY AS carried(${list}, n) ORDER BY n`,
        columns.map((_, index): Parameter => rows.map((row) => row[index] ?? null)),
      );
    },
    count: async ({ name: table }) => Number(await one(`SELECT count(*) FROM ${table}`)),
  };
}
