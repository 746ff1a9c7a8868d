// Owns what a running server takes for its own store's history.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from 'pg';

import { Cluster } from '../../../../scripts/postgres/cluster.ts';
import { instant } from '../../../../src/lib/clock.ts';
import { Unavailable } from '../../../../src/oauth/failure.ts';
import { storeAt } from '../../../../src/store/open.ts';
import { readPostgresLocation } from '../../../../src/store/postgres/location.ts';
import { without } from '../../../support/tools.ts';
import { until } from '../../../support/until.ts';
import { fill } from '../../fill.ts';
import { isRevoked } from '../../login.ts';

const skip = without('postgres');
const facts = { name: 'machine:7', version: '1', programmes: {}, settings: {} };

test(
  'a standby with the last commit of a running server is believed after any outage',
  { skip },
  async (t) => {
    const first = await Cluster.make();
    t.after(() => first.remove());
    await first.start();
    const url = `postgres://jetway@127.0.0.1:${first.port}/jetway?sslmode=disable`;
    const location = readPostgresLocation(url, (path) => path);
    const onFatal = (): void => undefined;
    const store = await storeAt(location).open({ environment: 'staging', onFatal });
    t.after(() => store.close());
    await fill(store);
    await store.leaseNode(instant(Date.now()), 'holder', facts);
    await first.stop();
    const second = await first.copy();
    t.after(() => second.remove());
    second.configure({ port: first.port });
    second.beStandby();
    await second.start();
    await second.promote();
    const client = new Client(second.access());
    await client.connect();
    await client.query(`UPDATE jetway.meta SET value = '0' WHERE name LIKE 'recorded%'`);
    await client.end();
    await until(async () => {
      try {
        await store.leaseNode(instant(Date.now()), 'holder', facts);
        return (await isRevoked(store)) === false;
      } catch (error) {
        assert.ok(error instanceof Unavailable, String(error));
        return false;
      }
    });
  },
);
