// Owns the PostgreSQL server of a test process: started for the first test that asks, shared by all of
// them, gone with the process. Each test takes a schema of its own.

import { randomBytes } from 'node:crypto';

import type { Client } from 'pg';

import { Cluster } from '../../scripts/postgres/cluster.ts';

export interface TestServer {
  readonly port: number;
  /** A name that no schema has yet; whoever uses it makes the schema. */
  readonly newSchema: () => string;
  /** Where a store of that schema is, over TCP, as the role `jetway`. */
  readonly url: (schema: string) => string;
  /** A connection to the database, for its caller to end; `postgres` is the superuser. */
  readonly client: (user?: 'jetway' | 'postgres') => Promise<Client>;
}

let started: Promise<TestServer> | undefined;

/**
 * The server of this process, which does not wait for the disk. A test that needs it is skipped by
 * `without('postgres')` of `tools.ts`.
 */
export function testServer(): Promise<TestServer> {
  started ??= start();
  return started;
}

/** A test, or what else ends. */
export interface Scope {
  readonly after: (end: () => unknown) => void;
}

type Row = Readonly<Record<string, unknown>>;

export interface ScratchSchema {
  readonly url: string;
  /** Runs statements as the store's role, in the schema, over one connection, made when first asked. */
  readonly query: (text: string) => Promise<readonly Row[]>;
}

/** A schema of the test's own, which goes with it. */
export async function scratchSchema(t: Scope): Promise<ScratchSchema> {
  const server = await testServer();
  const schema = server.newSchema();
  let asking: Promise<Client> | undefined;
  t.after(async () => {
    // The one that was asked may have been cut off by the test.
    await (await asking)?.end();
    const client = await server.client();
    await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.end();
  });
  const inSchema = async (): Promise<Client> => {
    const client = await server.client();
    await client.query(`SET search_path = "${schema}"`);
    return client;
  };
  return {
    url: server.url(schema),
    query: async (text) => (await (await (asking ??= inSchema())).query<Row>(text)).rows,
  };
}

async function start(): Promise<TestServer> {
  const cluster = await Cluster.make();
  await cluster.start();
  return {
    port: cluster.port,
    newSchema: () => `test_${randomBytes(6).toString('hex')}`,
    url: (schema) =>
      `postgres://jetway@127.0.0.1:${cluster.port}/jetway?schema=${schema}&sslmode=disable`,
    client: (user) => cluster.client(user),
  };
}
