// FAULTS 4, 5, 7: a running server whose disk is full or fails, or whose store is taken away.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import type { Health } from '../../src/http/admin.ts';
import { faultyDisk } from '../store/faulty_disk.ts';
import {
  askPartnerToken,
  codeFor,
  paths,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { fillUp } from '../support/full_disk.ts';
import { eventLines } from '../support/log_lines.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { type Answer, ask } from '../support/wire.ts';
import { openSite, untilReadiness } from './site.ts';

/** G-22. */
const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });

const mounting = { skip: without('mount') };

test(
  'FAULTS 4: on a full disk it answers what it can, and goes on when there is space',
  mounting,
  async (t) => {
    let disk = '';
    const prepare = (folder: string): void => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'tmpfs', folder]);
      disk = folder;
    };
    const over = 'tokens: { access: { format: jwt } }';
    const site = await openSite(t, { over, prepare });
    try {
      const club = await site.start();
      const { refresh_token: token } = await tokensOfLogin(club);
      await untilReadiness(club, 200);
      const ballast = join(disk, 'ballast');
      fillUp(ballast);
      // A refresh replaces a row and may find room in what the file and its log have allocated. Logins
      // need new room; what moving the log or giving up the reserve frees is taken again.
      const last = tokensIn(await refresh(club, token)).refresh_token;
      let told: Answer | undefined;
      await until(async () => {
        await codeFor(club).catch(() => undefined);
        fillUp(ballast);
        told = await ask(club.server.admin, '/readyz');
        return told.status === 503;
      });
      const { status, reasons } = JSON.parse(told?.body ?? '') as Health;
      const [first, ...others] = reasons;
      assert.deepEqual([status, first], ['unready', `the disk of ${site.path} is full`]);
      // The audit stream is on the same disk; it may have found out already.
      for (const other of others)
        assert.match(other, /^the audit stream cannot be written: ENOSPC/);
      // Each use of a refresh token is recorded, so that none is answered from here on; a partner's own
      // token is written nowhere.
      assert.deepEqual(await refresh(club, last), away);
      tokensIn(await askPartnerToken(club));
      assert.equal((await ask(club.url, paths.keys)).status, 200);
      assert.equal((await ask(club.server.admin, '/livez')).status, 200);
      rmSync(ballast);
      await untilReadiness(club, 200);
      // What was refused had spent nothing.
      tokensIn(await refresh(club, last));
      assert.equal(await club.server.end('SIGTERM'), 0);
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  },
);

test(
  'FAULTS 5: when the disk fails to synchronise, it answers no more and ends with 4',
  { skip: without('strace') },
  async (t) => {
    // Every retry is one, however long another start takes.
    const site = await openSite(t, { over: 'tokens: { refresh: { grace: 5m } }' });
    const club = await site.start();
    const { refresh_token: token } = await tokensOfLogin(club);
    const { pid } = club.server.child;
    const inject = ['-e', 'trace=fdatasync,fsync', '-e', 'inject=fdatasync,fsync:error=EIO'];
    const tracer = spawn('strace', ['-f', '-p', String(pid), '-o', '/dev/null', ...inject]);
    await once(tracer.stderr, 'data');
    // It synchronises on its own account as well, and may have found out before it is asked.
    const answer = await refresh(club, token).catch(() => undefined);
    if (answer !== undefined) assert.deepEqual(answer, away);
    await untilReadiness(club, undefined);
    assert.equal(await club.server.ended(), 4);
    const lines = club.server.printed().stderr.trimEnd().split('\n');
    assert.equal(
      lines.at(-1),
      'the server has ended, its store can no longer be used (store: SQLITE_IOERR): look at the disk and the file (jetway store verify), then start again',
    );
    // Nothing but the disk was wrong: another start finds what was answered. The refused use may have
    // been written, or not.
    tokensIn(await refresh(await site.start(), token));
  },
);

test(
  'FAULTS 5: a disk that fails when the server ends is told of: the process ends with 4',
  { skip: without('cc') },
  async (t) => {
    const site = await openSite(t);
    const disk = faultyDisk(site.path);
    t.after(disk.remove);
    const settings = Object.entries(disk.environment).map(([name, value]) => `${name}=${value}`);
    const club = await site.start({ under: ['env', ...settings] });
    const { refresh_token: token } = await tokensOfLogin(club);
    disk.order('fail-file');
    assert.equal(await club.server.end('SIGTERM'), 4);
    assert.deepEqual(eventLines(club.server.printed().stderr), [
      'the server has ended, its store can no longer be used (store: SQLITE_IOERR): look at the disk and the file (jetway store verify), then start again',
    ]);
    // What was answered is in the log, which was left as it was.
    const { length } = disk.calls();
    assert.equal(disk.calls()[length - 1], 'synchronise file EIO');
    tokensIn(await refresh(await site.start(), token));
  },
);

describe('a store that is taken away', { concurrency: 3 }, () => {
  for (const [what, suffixes] of [
    ['file', ['']],
    ['log', ['-wal']],
    ['whole store', ['', '-wal', '-shm']],
  ] as const) {
    test(`FAULTS 7: a server whose ${what} is removed notices at its next look, and ends with 4`, async (t) => {
      const site = await openSite(t);
      const club = await site.start();
      tokensIn(await askPartnerToken(club));
      const names = suffixes.map((suffix) => site.path + suffix);
      for (const name of names) rmSync(name);
      const removedAt = performance.now();
      assert.equal(await club.server.ended(), 4);
      const took = performance.now() - removedAt;
      t.diagnostic(`ended after ${Math.round(took)} ms`);
      // It looks every second; the rest is for a machine that has other things to do.
      assert.ok(took < 60_000, `${took} ms`);
      const message = `its store can no longer be used (store: ${names.join(', ')} was removed or replaced while it was open)`;
      assert.ok(club.server.printed().stderr.includes(message), club.server.printed().stderr);
      if (what === 'log') return;
      // FAULTS 6: nor does another start make an empty one.
      await assert.rejects(site.start(), (error) => {
        assert.ok(error instanceof Error);
        assert.match(
          error.message,
          /^the server ended with 4 before it listened: store \S+ is gone/,
        );
        return error.message.includes(dirname(site.path));
      });
    });
  }
});
