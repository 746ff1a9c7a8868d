// Owns the verb that migrates a PostgreSQL store, and contracts it once no older version runs.

import type { MigrateOptions, MigrateReport } from '../../care.ts';
import { StoreUnusable } from '../../unusable.ts';
import { schemaVersion } from '../migrations.ts';
import { contractSchema, expandSchema, expectKnown, findMeta } from '../schema.ts';
import { type Session, type StoreAccess, withSession } from './session.ts';

/** @throws StoreUnusable where there is no store, or an older server runs; Unavailable */
export async function migratePostgres(
  access: StoreAccess,
  { environment, contract }: MigrateOptions,
): Promise<MigrateReport> {
  return withSession(access, async (session) => {
    const { name, link } = session;
    const before = await findMeta(link, name);
    if (before === undefined) {
      throw new StoreUnusable(
        `there is no store at ${name}`,
        'a server makes it at its first start',
      );
    }
    // Other reasons not to touch it come first.
    const isOlder = Number(before.get('schema')) < schemaVersion;
    expectKnown(
      isOlder ? new Map([...before, ['schema', `${schemaVersion}`]]) : before,
      name,
      environment,
    );
    await expandSchema(link);
    if (contract) {
      await session.transaction(async () => {
        // A server that starts, or renews its lease, waits until this has ended.
        await session.run('LOCK TABLE node_lease IN EXCLUSIVE MODE');
        await expectNoOlder(session);
        await contractSchema(link);
      });
    }
    const after = (await findMeta(link, name)) ?? before;
    const [schema, oldestReader] = ['schema', 'oldest_reader'].map((key) => Number(after.get(key)));
    return {
      from: Number(before.get('schema')),
      schema: schema ?? schemaVersion,
      oldestReader: oldestReader ?? schemaVersion,
    };
  });
}

async function expectNoOlder({ name, run }: Session): Promise<void> {
  const rows = await run(
    `SELECT coalesce(facts::json ->> 'name', holder), schema_version FROM node_lease
     WHERE facts IS NOT NULL AND expires_at > extract(epoch FROM clock_timestamp()) * 1000
       AND schema_version < $1 ORDER BY node`,
    [schemaVersion],
  );
  if (rows.length === 0) return;
  const older = rows.map((row) => row.join(' with schema ')).join(', ');
  throw new StoreUnusable(
    `the store ${name} is in use by servers that know schema ${schemaVersion} not yet: ${older}`,
    'upgrade or stop them first; one that was killed counts for two minutes more',
  );
}
