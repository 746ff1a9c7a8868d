// Owns that a link finds its database again, whatever it was doing when the database came back (FAULTS 13).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { milliseconds } from '../../../../src/lib/clock.ts';
import { forRequests, Link } from '../../../../src/store/postgres/link/link.ts';
import { Primary } from '../../../../src/store/postgres/link/primary.ts';
import { serversOf } from '../../../../src/store/postgres/link/servers.ts';
import type { Statement } from '../../../../src/store/postgres/link/statement.ts';
import { without } from '../../../support/tools.ts';
import { until } from '../../../support/until.ts';
import { lossyProxy } from '../lossy_proxy.ts';
import { postgresStore } from '../scratch.ts';

const one: Statement = { name: 'one', text: 'SELECT 1', isRead: true };

test(
  'FAULTS 13: a link whose last dial failed when nothing waited any more dials again',
  { skip: without('postgres') },
  async (t) => {
    const { location } = await postgresStore(t);
    const [host] = location.hosts;
    assert.ok(host);
    const proxy = await lossyProxy(host.port);
    const hosts = [{ ...host, port: proxy.port }];
    // A statement gives up long before a dial does.
    const options = { ...forRequests, connections: 1, span: milliseconds(200) };
    const link = new Link(options, new Primary(serversOf({ ...location, hosts })));
    t.after(() => {
      link.close();
      proxy.close();
    });
    await link.connect();
    proxy.freeze();
    await assert.rejects(link.run(one, []));
    await assert.rejects(link.run(one, []));
    await until(() => link.trouble !== undefined);
    // Statements are refused at once by now.
    await sleep(1600);
    await assert.rejects(link.run(one, []));
    proxy.thaw();
    await until(
      async () => (await Promise.allSettled([link.run(one, [])]))[0].status === 'fulfilled',
    );
  },
);
