// FAULTS 19: with sockets that a service manager has, a server is replaced under load and nobody notices.

import assert from 'node:assert/strict';

import type { StatusView } from '../../src/server/status.ts';
import { isLive } from '../support/club.ts';
import { holdSockets } from '../support/socket_holder.ts';
import { testNeeding } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { openSite, type ServedClub, unthrottled } from './site.ts';

const test = testNeeding('python3');

test('FAULTS 19: upgrades under load lose no request and refuse no connection', async (t) => {
  const { addresses, under } = await holdSockets(t, 'tcp', 'tcp');
  const more = 'stop_delay: 2s\n';
  const site = await openSite(t, { over: unthrottled, more });
  const start = async (): Promise<ServedClub> => site.start({ under: under('listen:admin') });
  const pid = async (): Promise<number> =>
    (JSON.parse(await site.run('status', '--json')) as StatusView).pid;
  const club = await start();
  assert.deepEqual(
    [club.url, club.server.admin],
    addresses.map((address) => `http://${address}`),
  );
  const loads = [startLoad(club, 6, 10), startLoad(club, 6, 50), startLoad(club, 4, 20, false)];
  const tokens = (): number => loads.reduce((sum, { told }) => sum + told.tokens.length, 0);
  /** Each of the loads gets answers. */
  const goOn = async (): Promise<void> => {
    await Promise.all(loads.map(({ told, reach }) => reach(told.tokens.length + 30)));
  };
  await goOn();
  let former = club;
  for (let upgrade = 0; upgrade < 3; upgrade += 1) {
    const next = await start();
    assert.equal(next.url, club.url);
    const ended = former.server.end('SIGTERM');
    // A server that stops tells nobody at the common socket that it is unready.
    while (former.server.child.exitCode === null) {
      assert.equal((await ask(club.server.admin, '/readyz')).status, 200);
    }
    assert.equal(await ended, 0);
    await goOn();
    // Nothing answers while one server removes the control socket and the other makes it again.
    await until(async () => (await pid().catch(() => undefined)) === next.server.child.pid);
    former = next;
  }
  // Without a second server connections wait at the socket for the next one.
  assert.equal(await former.server.end('SIGTERM'), 0);
  const last = await start();
  await goOn();
  assert.equal(await last.server.end('SIGINT'), 0);
  await start();
  await goOn();
  t.diagnostic(`${tokens()} tokens`);
  for (const { told, stop } of loads) {
    await stop();
    assert.deepEqual(told.failures, []);
    const sample = told.tokens.filter((_, index) => index % 50 === 0);
    for (const token of sample) assert.equal(await isLive(club, token), true);
  }
});
