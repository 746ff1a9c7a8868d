// Owns tests of what the disk may do: take its time to be sure, fail, and fill up.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { milliseconds } from '../../../../src/lib/clock.ts';
import type { Digest } from '../../../../src/lib/digest.ts';
import { Unavailable } from '../../../../src/oauth/failure.ts';
import { fileDamage } from '../../../../src/store/sqlite/file/check.ts';
import { openFile } from '../../../../src/store/sqlite/file/open.ts';
import {
  type FileStore,
  openFileStore,
  serverReserve,
} from '../../../../src/store/sqlite/store.ts';
import { fillUp } from '../../../support/full_disk.ts';
import { without } from '../../../support/tools.ts';
import { traced } from '../../children.ts';
import { withFile } from '../../file_directory.ts';
import {
  aClient,
  aCode,
  aLogin,
  at,
  club,
  inParallel,
  key,
  loginNamed,
  partner,
  placeAt,
  sweepAll,
} from '../../fixtures.ts';
import { findLogin, isRevoked } from '../../login.ts';

const open = (path: string, reserve = 0): FileStore =>
  openFileStore({ path, environment: 'staging', reserve });

withFile(
  'FAULTS 3: what is answered was synchronised before',
  async (path) => {
    await open(path).close();
    const watch = ['-e', 'trace=pwrite64,fdatasync,fsync,write'];
    const { calls, stdout } = await traced(watch, 'save', path, '5');
    assert.match(stdout, /^(saved \d\n){5}ready\n$/);
    let state = 'nothing';
    let answered = 0;
    for (const call of calls) {
      if (/pwrite64\(\d+<[^>]*-wal>/.test(call)) state = 'written';
      // Another thread's call may stand between a call's beginning and its end.
      else if (/f(data)?sync(\(\d+<[^>]*-wal>| resumed>)\) += 0/.test(call) && state === 'written')
        state = 'safe';
      else if (/write\(1<[^>]*>, "saved/.test(call)) {
        assert.equal(state, 'safe', call);
        [state, answered] = ['nothing', answered + 1];
      }
    }
    assert.equal(answered, 5);
  },
  without('strace'),
);

/** A test that gets the path of a store file to be on a disk of 2 MB. */
function withSmallDisk(name: string, body: (path: string) => Promise<void>): void {
  const onDisk = async (path: string): Promise<void> => {
    const folder = dirname(path);
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
    try {
      await body(path);
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  };
  withFile(name, onDisk, without('mount'));
}

const reserve = 256 * 1024;

test('FAULTS 4: a server’s reserve takes in a log of the usual length', () => {
  assert.ok(serverReserve / 2 >= 1000 * (4096 + 24));
});

/** A login of its own, its code unspent. */
async function prepare(store: FileStore, count: number): Promise<void> {
  await inParallel(count, (n) =>
    store.issueCode(aCode({ key: key(`code ${n}`), transaction: `login ${n}` })),
  );
}

const nth = (n: number) => loginNamed(`login ${n}`);
const spend = (store: FileStore, n: number) =>
  store.spendCode(club, partner, key(`code ${n}`), nth(n), at(1));

withSmallDisk(
  'FAULTS 4: on a full disk codes are spent, rights end, nothing begins',
  async (path) => {
    const store = open(path, reserve);
    await prepare(store, 30);
    await store.add('client', [aClient()]);
    const policy = { attempts: 1, window: milliseconds(60_000), lock: milliseconds(60_000) };
    const begin = (account: string) => store.reserveAttempt(club, account as Digest, policy, at(1));
    await begin('locked');
    assert.deepEqual(await begin('locked'), { allowed: false, retryAfter: policy.lock });
    await inParallel(10, (n) => spend(store, n));
    await inParallel(20, (n) =>
      store.revoke(club, { tokenId: `${n}`, expiresAt: at(1800) }, at(1)),
    );
    assert.equal(statSync(`${path}-reserve`).size, reserve);
    const ballast = join(dirname(path), 'ballast');
    fillUp(ballast);
    await fillStore(store);
    assert.equal(store.health().status, 'full');
    const refused = [
      store.startLogin(loginNamed('more')),
      store.issueCode(aCode({ key: key('more'), transaction: 'more' })),
      // HOSTILE 18, 63: what cannot be counted is not allowed, whether the account is locked or not.
      begin('locked'),
      begin('unlocked'),
    ];
    for (const result of await Promise.allSettled(refused)) {
      assert.ok(result.status === 'rejected' && result.reason instanceof Unavailable);
      assert.equal(result.reason.message, 'store: the disk is full');
    }
    for (let n = 10; n < 20; n += 1) assert.deepEqual(await spend(store, n), { outcome: 'spent' });
    await store.revoke(club, { place: nth(3).place }, at(2));
    await store.revoke(club, { subject: 'subject-9' });
    assert.equal(await isRevoked(store, nth(3)), true);
    await store.change('client', club, partner, (client) => ({ ...client, status: 'disabled' }));
    assert.equal((await store.find('client', club, partner))?.status, 'disabled');
    const swept = await sweepAll(store, at(1800), 50);
    assert.ok(swept >= 20, `${swept} rows`);
    rmSync(ballast);
    await sleep(1100);
    assert.deepEqual(store.health(), { status: 'ready' });
    assert.equal(statSync(`${path}-reserve`).size, reserve);
    await store.startLogin(loginNamed('more'));
    for (let n = 20; n < 30; n += 1) assert.deepEqual(await spend(store, n), { outcome: 'spent' });
    await store.close();
    expectSound(path);
  },
);

/** Fills the disk with this, a login's row as long as several. */
const filler = (n: number) =>
  aLogin({ place: placeAt(1, n), scope: 'x'.repeat(500), forgetAt: at(1740) });

/** Begins logins until one is refused; returns how many were not, all of which are there. */
async function fillStore(store: FileStore): Promise<number> {
  for (let n = 0; ; n += 1) {
    try {
      await store.startLogin(filler(n));
    } catch (error) {
      assert.ok(error instanceof Unavailable, String(error));
      for (let m = 0; m < n; m += 1) assert.ok(await findLogin(store, filler(m)), `filler ${m}`);
      return n;
    }
  }
}

function expectSound(path: string): void {
  const file = openFile(path, 'staging', at(0));
  assert.deepEqual(fileDamage(file.database), []);
  file.close();
}

withSmallDisk(
  'FAULTS 4: a store that has filled its disk goes on once rows have ended',
  async (path) => {
    const store = open(path, reserve);
    assert.ok((await fillStore(store)) > 300);
    for (let swept = 0; swept < 300;) swept += await store.sweep(at(1800), 50);
    await sleep(1100);
    assert.deepEqual(store.health(), { status: 'ready' });
    await inParallel(100, (n) => store.startLogin(loginNamed(`after ${n}`)));
    await store.close();
    expectSound(path);
  },
);

withSmallDisk('FAULTS 4: a start on a full disk finds room, and tells', async (path) => {
  await open(path, reserve).close();
  const ballast = join(dirname(path), 'ballast');
  fillUp(ballast);
  const store = open(path, reserve);
  assert.equal(store.health().status, 'full');
  assert.equal(await findLogin(store), undefined);
  await store.revoke(club, { place: aLogin().place }, at(0));
  rmSync(ballast);
  await sleep(1100);
  assert.equal(store.health().status, 'ready');
  await store.startLogin(loginNamed('any'));
  await store.close();
});
