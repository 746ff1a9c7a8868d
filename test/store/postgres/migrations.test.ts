// Owns the promises of the migrations of a PostgreSQL store: the tables of an older Jetway become those that
// are made anew, and rows of both versions are read.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Digest } from '../../../src/lib/digest.ts';
import { storeAt } from '../../../src/store/open.ts';
import { forCare, Link } from '../../../src/store/postgres/link/link.ts';
import { Primary } from '../../../src/store/postgres/link/primary.ts';
import { serversOf } from '../../../src/store/postgres/link/servers.ts';
import type { Statement } from '../../../src/store/postgres/link/statement.ts';
import { schemaVersion } from '../../../src/store/postgres/migrations.ts';
import { contractSchema, expandSchema } from '../../../src/store/postgres/schema.ts';
import { without } from '../../support/tools.ts';
import { fill } from '../fill.ts';
import { aClient, aLogin, at, club, otherPartner, partner } from '../fixtures.ts';
import { findLogin } from '../login.ts';
import { postgresScene, type Scene } from './care/scene.ts';

/** What the first schema had not. */
const former = `
  ALTER TABLE code DROP COLUMN details;
  ALTER TABLE login DROP COLUMN details;
  DROP TABLE kept_text;
  DELETE FROM look_up WHERE kind = 'client' AND name = 'secret';
  UPDATE meta SET value = '1' WHERE name IN ('schema', 'oldest_reader')`;

/** Columns and look-ups, whatever their order. */
async function shape({ query }: Scene): Promise<unknown> {
  const columns = await query(
    `SELECT table_name, column_name, data_type, collation_name, is_nullable FROM information_schema.columns
     WHERE table_schema = current_schema() ORDER BY table_name, column_name`,
  );
  const keys = await query(
    `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  return { columns, keys, lookUps: await query('SELECT * FROM look_up ORDER BY name, key, id') };
}

describe('migrations', { skip: without('postgres') }, () => {
  test('FAULTS 26: the tables of schema 1 become those of this version, twice', async (t) => {
    const scene = await postgresScene(t);
    const made = await scene.open();
    await fill(made);
    await made.add('client', [
      aClient({
        id: otherPartner.replace('2', '3') as never,
        secrets: ['Zoë’s', 'other', 'other'].map((digest) => ({
          digest: digest as Digest,
          createdAt: at(0),
        })),
      }),
    ]);
    await made.close();
    const expected = await shape(scene);
    await scene.query(former);
    const link = new Link(forCare, new Primary(serversOf(scene.location)));
    t.after(() => link.close());
    await Promise.all([expandSchema(link), expandSchema(link)]);
    assert.deepEqual(await shape(scene), expected);
    // An older Jetway has removed a client's keys, but for those it knows nothing of.
    await scene.query(`UPDATE look_up SET key = 'retired ' || key WHERE name = 'secret'`);
    await contractSchema(link);
    assert.deepEqual(await shape(scene), expected);
    const store = await scene.open();
    const [found] = await store.findBy('client', 'secret', club, 'digest-of-secret' as Digest);
    assert.equal(found?.id, partner);
    const { properties: _, ...member } = aLogin().member ?? {};
    assert.deepEqual((await findLogin(store))?.member, member);
    assert.deepEqual((await storeAt(scene.location).care?.verify())?.damage, []);
  });
});

test('a migration is no read: the outcome of one that is cut off is unknown', async () => {
  const ran: boolean[] = [];
  const run = async ({ isRead }: Statement): Promise<unknown> => {
    ran.push(isRead);
    return Promise.resolve([[ran.length === 1 ? 1 : schemaVersion]]);
  };
  await expandSchema({ run: run as Link['run'] });
  assert.deepEqual(ran, [true, false, true]);
});
