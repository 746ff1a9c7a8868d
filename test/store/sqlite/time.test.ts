// Owns tests of the file store's recorded time: what it costs, and what a wrong clock does to a store.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';

import { readUptime } from '../../../src/lib/machine.ts';
import { openFileStore, type FileStore } from '../../../src/store/sqlite/store.ts';
import { withFile } from '../file_directory.ts';
import { aLogin, at, loginNamed, sweepAll } from '../fixtures.ts';
import { isRevoked, login } from '../login.ts';

const year = 365 * 86_400;

function withStores(
  name: string,
  body: (open: () => FileStore, path: string) => Promise<void>,
): void {
  withFile(name, (path) =>
    body(() => openFileStore({ path, environment: 'staging', now: at(0) }), path),
  );
}

withStores('FAULTS 10: recording the time costs a commit in half a minute', async (open) => {
  const store = open();
  const costs: number[] = [];
  for (let second = 0; second <= 90; second += 1) {
    const before = store.commits();
    await store.time(at(second));
    if (store.commits() > before) costs.push(second);
  }
  assert.deepEqual(costs, [0, 30, 60, 90]);
  // It rides along with whatever is written, a second later or more.
  await store.time(at(95));
  assert.equal((await store.time()).recorded, at(90));
  await store.startLogin(loginNamed('any'));
  assert.equal((await store.time()).recorded, at(95));
  await store.close();
});

withStores('FAULTS 11: a clock ten years ahead purges nothing in its first hour', async (open) => {
  const before = open();
  await login(before);
  await before.time(at(10));
  await before.close();
  const wrong = open();
  await wrong.time(at(10 * year));
  assert.equal(await sweepAll(wrong, at(10 * year)), 0);
  assert.equal(await sweepAll(wrong, at(10 * year + 3599)), 0);
  await wrong.close();
  const mended = open();
  assert.equal((await mended.time()).recorded, at(10 * year));
  await mended.acceptTime(at(60));
  assert.equal((await mended.time()).recorded, at(60));
  assert.equal(await isRevoked(mended), false);
  assert.equal(await sweepAll(mended, at(60)), 0);
  await mended.close();
  const later = open();
  // An hour on, whoever reads reports has accepted the clock.
  await sweepAll(later, at(10 * year));
  assert.ok((await sweepAll(later, at(10 * year + 3600))) > 0);
  await later.close();
});

withStores('FAULTS 11: a pause of a night or a restart holds nothing up', async (open) => {
  const before = open();
  await before.startLogin(aLogin({ forgetAt: at(1800) }));
  await before.time(at(10));
  await before.close();
  const store = open();
  assert.equal(await sweepAll(store, at(86_400)), 1);
  await store.close();
});

withStores(
  'FAULTS 28: the recorded time goes on with the machine, and not with another',
  async (open, path) => {
    const store = open();
    assert.equal((await store.time()).current, undefined);
    await store.time(at(year));
    const [recorded, current] = [(await store.time()).recorded, (await store.time()).current];
    assert.ok(recorded !== undefined && current !== undefined);
    assert.ok(
      current >= recorded && current < recorded + 600_000,
      `${current - recorded} ms later`,
    );
    await store.close();
    const database = new DatabaseSync(path);
    const set = database.prepare(`UPDATE meta SET value = ? WHERE name = 'recorded_uptime'`);
    const { boot, passed } = readUptime();
    for (const record of [`${passed} another`, `${passed + 3_600_000} ${boot}`]) {
      set.run(record);
      const later = open();
      assert.deepEqual(
        [(await later.time()).recorded, (await later.time()).current],
        [at(year), undefined],
      );
      await later.close();
    }
    database.close();
  },
);

withFile('HOSTILE 30: the time between two processes that served is an outage', async (path) => {
  const open = () => openFileStore({ path, environment: 'staging', now: at(0) });
  const first = open();
  await first.time(at(60));
  assert.deepEqual((await first.time()).outages, []);
  await first.close();
  const next = open();
  assert.deepEqual((await next.time()).outages, []);
  await next.time(at(100));
  await next.time(at(104));
  assert.deepEqual((await next.time()).outages, [{ from: at(60), to: at(100) }]);
  await next.acceptTime(at(-3600));
  await next.time(at(-3599));
  assert.deepEqual((await next.time()).outages, []);
  await next.close();
});

withFile('FAULTS 34: the time in which the machine was suspended is an outage', async (path) => {
  const store = openFileStore({ path, environment: 'staging', now: at(0) });
  await store.time(at(0));
  const before = (await store.time()).outages;
  const begun = performance.now();
  let passed = 0;
  const { mock: moved } = mock.method(performance, 'now', () => begun + passed);
  try {
    // A busy minute is none: the monotonic clock has run.
    passed = 60_000;
    await store.time(at(60));
    assert.deepEqual((await store.time()).outages, before);
    await store.time(at(60 + 3600));
    const slept = { from: at(60), to: at(3660) };
    assert.deepEqual((await store.time()).outages, [...before, slept]);
  } finally {
    moved.restore();
  }
  await store.acceptTime(at(10));
  assert.deepEqual((await store.time()).outages, []);
  await store.close();
});
