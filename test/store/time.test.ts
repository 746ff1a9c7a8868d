// Owns tests of the file store's recorded time: what it costs, and what a wrong clock does to a store.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Instant } from '../../src/lib/clock.ts';
import { openFileStore, type FileStore } from '../../src/store/file.ts';
import { verifyStore } from '../../src/store/file_examine.ts';
import { scratchFile } from './file_directory.ts';
import { aFamily, aPartnerToken, aRefreshToken, at } from './fixtures.ts';
import { isRevoked, login } from './login.ts';

const year = 365 * 86_400;

function withFile(
  name: string,
  body: (open: () => FileStore, path: string) => Promise<void>,
): void {
  test(name, async () => {
    const { path, remove } = scratchFile();
    try {
      await body(() => openFileStore({ path, environment: 'staging', now: at(0) }), path);
    } finally {
      remove();
    }
  });
}

async function sweepLong(store: FileStore, now: Instant): Promise<number> {
  let swept = 0;
  for (let n = 0; n < 12; n += 1) swept += await store.sweep(now, 100);
  return swept;
}

withFile('FAULTS 10: recording the time costs a commit in half a minute', async (open) => {
  const store = open();
  const costs: number[] = [];
  for (let second = 0; second <= 90; second += 1) {
    const before = store.commits();
    await store.recordTime(at(second));
    if (store.commits() > before) costs.push(second);
  }
  assert.deepEqual(costs, [0, 30, 60, 90]);
  // It rides along with whatever is written, a second later or more.
  await store.recordTime(at(95));
  assert.equal(await store.recordedTime(), at(90));
  await store.saveAccessToken(aPartnerToken('any'));
  assert.equal(await store.recordedTime(), at(95));
  await store.close();
});

withFile('FAULTS 11: a clock ten years ahead purges nothing in its first hour', async (open) => {
  const before = open();
  await login(before);
  await before.recordTime(at(10));
  await before.close();
  const wrong = open();
  await wrong.recordTime(at(10 * year));
  assert.equal(await sweepLong(wrong, at(10 * year)), 0);
  assert.equal(await sweepLong(wrong, at(10 * year + 3599)), 0);
  await wrong.close();
  const mended = open();
  assert.equal(await mended.recordedTime(), at(10 * year));
  await mended.acceptTime(at(60));
  assert.equal(await mended.recordedTime(), at(60));
  assert.equal(await isRevoked(mended), false);
  assert.equal(await sweepLong(mended, at(60)), 0);
  await mended.close();
  const later = open();
  // An hour on, whoever reads reports has accepted the clock.
  await sweepLong(later, at(10 * year));
  assert.ok((await sweepLong(later, at(10 * year + 3600))) > 0);
  await later.close();
});

withFile('FAULTS 11: a pause of a night or a restart holds nothing up', async (open) => {
  const before = open();
  await before.saveAccessToken(aPartnerToken('token'));
  await before.recordTime(at(10));
  await before.close();
  const store = open();
  assert.equal(await sweepLong(store, at(86_400)), 1);
  await store.close();
});

withFile('FAULTS 11: a login that a clock ahead began ends with it', async (open, path) => {
  const store = open();
  const family = aFamily({ createdAt: at(10 * year) });
  await store.startFamily({ family, refresh: aRefreshToken('r1') });
  await store.recordTime(at(10 * year));
  await store.acceptTime(at(60));
  assert.equal(await isRevoked(store), undefined);
  await store.recordTime(at(90));
  assert.equal(await store.recordedTime(), at(90));
  await store.close();
  assert.deepEqual(verifyStore(path).damage, []);
});
