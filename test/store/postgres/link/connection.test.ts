// Owns what a connection makes of a commit whose wait for a standby was cancelled.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Cluster } from '../../../../scripts/postgres/cluster.ts';
import { milliseconds } from '../../../../src/lib/clock.ts';
import { Connection } from '../../../../src/store/postgres/link/connection.ts';
import { OutcomeUnknown } from '../../../../src/store/postgres/link/statement.ts';
import { without } from '../../../support/tools.ts';
import { until } from '../../../support/until.ts';

test(
  'FLEET 2.3: a cancelled wait for a standby is no commit, though the server reports success',
  {
    skip: without('postgres'),
  },
  async (t) => {
    const cluster = await Cluster.make({ settings: { synchronous_standby_names: 'nobody' } });
    t.after(() => cluster.remove());
    await cluster.start();
    const other = await cluster.client('postgres');
    t.after(() => other.end());
    const connection = await Connection.open(cluster.access('postgres'), milliseconds(5000), {
      isNamed: true,
      ended: () => undefined,
    });
    const make = { name: 'make', text: 'CREATE TABLE made (n bigint)', isRead: false };
    const made = assert.rejects(connection.run(make, [], milliseconds(60_000)), OutcomeUnknown);
    const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    await until(async () => (await other.query(`SELECT 1 ${waiting}`)).rowCount === 1);
    await other.query(`SELECT pg_cancel_backend(pid) ${waiting}`);
    await made;
    assert.equal(connection.isOpen, false);
  },
);
