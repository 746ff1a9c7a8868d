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

/** The tables below. Until something is released no version has the tables of another. */
export const schemaVersion = 4;

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
  forgotten_since bigint NOT NULL DEFAULT 0,
  forgotten_until bigint NOT NULL,
  accepted_era bigint,
  accepted_time bigint,
  op text NOT NULL
) WITH (fillfactor = 10);
INSERT INTO epoch (registrations, era, forgotten_until, op) VALUES (1, ${firstEra}, 0, '');
${leaseTable}${throttleTable}${outageTable}CREATE INDEX look_up_by_key ON look_up (kind, name, key);
CREATE INDEX login_attempt_locked ON login_attempt (programme, locked_until) WHERE locked_until IS NOT NULL;
`;

export interface MadeBy {
  readonly environment: Environment;
  /** The schema's name in the database. */
  readonly schema: string;
  /** How messages name the store. */
  readonly name: string;
  /** Recorded as the time of making. */
  readonly now: Instant;
}

type Runner = Pick<Link, 'run'>;

/**
 * Makes the tables, if the schema has none; two servers that start at once make them once.
 * @throws StoreUnusable for another environment or an unknown schema; Unavailable
 */
export async function expectSchema(link: Runner, made: MadeBy): Promise<void> {
  const { name, environment } = made;
  let meta = await findMeta(link, name);
  if (meta === undefined) {
    await make(link, made);
    meta = await findMeta(link, name);
  }
  if (meta === undefined) throw new StoreUnusable(`the store ${name} has no tables`, '');
  expectKnown(meta, name, environment);
}

/**
 * Refuses a store of another schema (FAULTS 26), and one that is moved or not complete.
 * @throws StoreUnusable
 */
export function expectKnown(
  meta: ReadonlyMap<string, string>,
  name: string,
  environment?: Environment,
): void {
  const moved = meta.get('moved_to');
  if (moved !== undefined) {
    throw new StoreUnusable(`the store ${name} was moved to ${moved}`, `set store: ${moved}`);
  }
  if (meta.has('arriving')) {
    throw new StoreUnusable(
      `the store ${name} is not complete: copying into it was cut off`,
      'run jetway store copy again, or drop its schema',
    );
  }
  const owner = meta.get('environment');
  if (environment !== undefined && owner !== environment) {
    throw new StoreUnusable(
      `the store ${name} belongs to environment ${owner}; this configuration is for ${environment}`,
      'give each environment a database or a schema of its own (store: …?schema=NAME)',
    );
  }
  const version = Number(meta.get('schema'));
  if (version === schemaVersion) return;
  throw new StoreUnusable(
    `the store ${name} has schema ${version}; this Jetway knows schema ${schemaVersion}`,
    version > schemaVersion
      ? 'run the Jetway that has made it, or a newer one'
      : 'name another schema (?schema=) for an empty store, or run the Jetway that has made it: no version migrates stores yet',
  );
}

const readMeta: Statement = {
  name: 'jetway_meta',
  text: 'SELECT name, value FROM meta',
  isRead: true,
};

/** The store's single values; undefined where there are no tables. */
export async function findMeta(
  link: Runner,
  name: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const rows = await link.run(readMeta, []);
    return new Map(rows as unknown as readonly [string, string][]);
  } catch (error) {
    if (error instanceof Refused && error.code === undefinedTable) return undefined;
    if (error instanceof Refused && error.code === insufficientPrivilege) {
      throw new StoreUnusable(`the store ${name}: ${error.message}`, 'grant the role its tables');
    }
    throw error;
  }
}

const undefinedTable = '42P01';
const insufficientPrivilege = '42501';
const duplicate = /^(42P0[67]|42710|23505)$/;

async function make(link: Runner, { environment, schema, now }: MadeBy): Promise<void> {
  const meta = {
    environment,
    schema: String(schemaVersion),
    created_at: new Date(now).toISOString(),
    store: randomKey(12),
  };
  const values = Object.entries(meta).map(([name, value]) => `('${name}', '${value}')`);
  // Asked first: making a schema needs a right that whoever was given one may not have.
  const text = `DO $make$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('jetway'), hashtext('${schema}'));
    IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
    SET LOCAL search_path = "${schema}";
    ${tables.map(createTable).join('')} ${otherTables}
    INSERT INTO meta (name, value) VALUES ${values.join(', ')};
  END $make$`;
  await runMaking(link, { name: 'jetway_make', text, isRead: false });
}

async function runMaking(link: Runner, statement: Statement): Promise<void> {
  try {
    await link.run(statement, []);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // Another server was faster.
    if (duplicate.test(error.code)) return;
    throw new StoreUnusable(
      `the tables cannot be made: ${error.message}`,
      'make the schema for the role of the store: CREATE SCHEMA jetway AUTHORIZATION jetway',
      { cause: error },
    );
  }
}
