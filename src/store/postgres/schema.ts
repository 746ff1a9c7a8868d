// Owns the tables of a PostgreSQL store, and making them in an empty schema.

import type { Instant } from '../../lib/clock.ts';
import { randomKey } from '../../lib/random.ts';
import type { Environment } from '../contract.ts';
import { firstEra } from '../judgement.ts';
import { tables } from '../sql/tables.ts';
import { StoreUnusable } from '../unusable.ts';
import { throttleTable } from './counters.ts';
import { leaseTable } from './leases.ts';
import type { Link } from './link/link.ts';
import { Refused, type Statement } from './link/statement.ts';
import { outageTable } from './outages.ts';
import { createTable } from './tables.ts';

/** The schema below; a store with a higher number was made by a newer Jetway. */
const schemaVersion = 1;

/**
 * Without sums: `epoch` has one row, which every registration and every revocation of all that an owner
 * has changes. Its low fill leaves room for its versions.
 */
const otherTables = `
CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE TABLE epoch (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  registrations bigint NOT NULL,
  era bigint NOT NULL,
  forgotten_until bigint NOT NULL,
  accepted_era bigint,
  accepted_time bigint,
  op text NOT NULL
) WITH (fillfactor = 10);
INSERT INTO epoch (registrations, era, forgotten_until, op) VALUES (1, ${firstEra}, 0, '');
CREATE TABLE secret_use (
  programme text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (programme, client, digest)
);
${leaseTable}${throttleTable}${outageTable}CREATE INDEX look_up_by_key ON look_up (kind, name, key);
CREATE INDEX login_attempt_locked ON login_attempt (programme, locked_until) WHERE locked_until IS NOT NULL;
`;

export interface MadeBy {
  readonly environment: Environment;
  readonly schema: string;
  /** Recorded as the time of making. */
  readonly now: Instant;
}

/**
 * Makes the tables, if the schema has none; two servers that start at once make them once.
 * @throws StoreUnusable for another environment or a newer schema; Unavailable
 */
export async function expectSchema(link: Link, made: MadeBy): Promise<void> {
  if ((await find(link, made.schema)) === undefined) await make(link, made);
  const meta = await find(link, made.schema);
  if (meta === undefined) throw new StoreUnusable(`the schema ${made.schema} has no tables`, '');
  const environment = meta.get('environment');
  if (environment !== made.environment) {
    throw new StoreUnusable(
      `the store in schema ${made.schema} belongs to ${environment}, not to ${made.environment}`,
      'give each environment a database or a schema of its own (store: …?schema=NAME)',
    );
  }
  const version = Number(meta.get('schema'));
  if (version !== schemaVersion) {
    throw new StoreUnusable(
      `the store in schema ${made.schema} has the tables of ${version > schemaVersion ? 'a newer' : 'an older'} Jetway (schema ${version}, this is ${schemaVersion})`,
      'start that Jetway, or take another schema',
    );
  }
}

const readMeta: Statement = {
  name: 'jetway_meta',
  text: 'SELECT name, value FROM meta',
  isRead: true,
};

/** The store's single values; undefined where there are no tables. */
async function find(link: Link, schema: string): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const rows = await link.run(readMeta, []);
    return new Map(rows as unknown as readonly [string, string][]);
  } catch (error) {
    if (error instanceof Refused && error.code === undefinedTable) return undefined;
    if (error instanceof Refused && error.code === insufficientPrivilege) {
      throw new StoreUnusable(`${error.message} (schema ${schema})`, 'grant the role its tables');
    }
    throw error;
  }
}

const undefinedTable = '42P01';
const insufficientPrivilege = '42501';
const duplicate = /^(42P0[67]|42710|23505)$/;

async function make(link: Link, { environment, schema, now }: MadeBy): Promise<void> {
  const meta = {
    environment,
    schema: String(schemaVersion),
    oldest_reader: String(schemaVersion),
    created_at: new Date(now).toISOString(),
    store: randomKey(12),
  };
  const values = Object.entries(meta).map(([name, value]) => `('${name}', '${value}')`);
  const name = `"${schema.replaceAll('"', '""')}"`;
  const text = `DO $make$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('jetway'), hashtext('${schema.replaceAll("'", "''")}'));
    CREATE SCHEMA IF NOT EXISTS ${name};
    SET LOCAL search_path = ${name};
    ${tables.map(createTable).join('')} ${otherTables}
    INSERT INTO meta (name, value) VALUES ${values.join(', ')};
  END $make$`;
  try {
    await link.run({ name: 'jetway_make', text, isRead: false }, []);
  } catch (error) {
    // Another server was faster.
    if (!(error instanceof Refused && duplicate.test(error.code))) throw refusedMaking(error);
  }
}

function refusedMaking(error: unknown): unknown {
  if (!(error instanceof Refused)) return error;
  return new StoreUnusable(
    `the tables cannot be made: ${error.message}`,
    'make the schema for the role of the store: CREATE SCHEMA jetway AUTHORIZATION jetway',
    { cause: error },
  );
}
