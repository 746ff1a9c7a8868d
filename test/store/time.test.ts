// Owns tests of the file store's recorded time: what it costs, and what a wrong clock does to a store.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Instant } from '../../src/lib/clock.ts';
import { openFileStore, type FileStore } from '../../src/store/file.ts';
import { verifyStore } from '../../src/store/file_examine.ts';
import { scratchFile } from './file_directory.ts';
import { aCode, aFamily, aPartnerToken, at, club, key, otherPartner, partner } from './fixtures.ts';
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

withFile(
  'FAULTS 11: what a clock ahead had issued ends when time is set right',
  async (open, path) => {
    const store = open();
    await login(store);
    const ahead = { issuedAt: at(10 * year), expiresAt: at(10 * year + 1800) };
    await store.saveAccessToken(aPartnerToken('own'));
    await store.saveAccessToken(aPartnerToken('decade', ahead));
    await store.issueCode(aCode({ key: key('later'), transaction: 'later', ...ahead }));
    const family = aFamily({ id: 'later' as never, createdAt: at(10 * year + 1) });
    await store.spendCode(club, partner, key('later'), { family }, at(10 * year + 1));
    await store.revokeAll(club, { client: otherPartner }, at(10 * year));
    await store.recordTime(at(10 * year));
    await store.acceptTime(at(60));
    assert.equal(await store.findAccessToken(club, key('decade'), at(61)), undefined);
    assert.equal(await store.findCode(club, key('later'), at(61)), undefined);
    assert.ok(await store.findAccessToken(club, key('own'), at(61)));
    assert.equal(await isRevoked(store), false);
    // The revocation stands for what was issued before, and not for the next ten years.
    const token = { client: otherPartner, subject: 'subject-1' };
    assert.equal(await store.isStanding(club, { ...token, issuedAt: at(60) }), false);
    assert.equal(await store.isStanding(club, { ...token, issuedAt: at(61) }), true);
    await store.recordTime(at(90));
    assert.equal(await store.recordedTime(), at(90));
    await store.close();
    assert.deepEqual(verifyStore(path).damage, []);
  },
);

withFile('DESIGN: a revocation reaches what a clock slightly ahead has issued', async (open) => {
  const server = open();
  await login(server);
  await server.saveAccessToken(aPartnerToken('ahead', { issuedAt: at(30) }));
  await server.recordTime(at(30));
  const command = open();
  await command.revokeAll(club, { client: partner }, at(5));
  assert.equal(await server.findAccessToken(club, key('ahead'), at(31)), undefined);
  // A clock that is out by more is reported, and does not put off what is issued for long.
  await server.recordTime(at(year));
  await command.revokeAll(club, { client: otherPartner }, at(40));
  const token = { client: otherPartner, subject: 'subject-1' };
  assert.equal(await server.isStanding(club, { ...token, issuedAt: at(100) }), false);
  assert.equal(await server.isStanding(club, { ...token, issuedAt: at(100.001) }), true);
  await Promise.all([server.close(), command.close()]);
});
