// Owns what is a file's own of its care (test/store/admin/care.slow.test.ts): a backup while another process
// writes, and what becomes of the file that a restore replaces.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import type { ClientId } from '../../../src/oauth/client.ts';
import { codeName } from '../../../src/store/sql/login_rows.ts';
import { fileCare } from '../../../src/store/sqlite/care.ts';
import { saidWhole, startChild } from '../children.ts';
import { execute, withFile } from '../file_directory.ts';
import { aClient, aLogin, at, club, inParallel, key, loginNamed } from '../fixtures.ts';
import { findLogin, refresh } from '../login.ts';
import { isUnusable, open, withBackup } from '../restore_fixture.ts';

withFile(
  'FAULTS 8: a backup under load holds all that was answered before it',
  async (path, directory) => {
    await open(path).close();
    const child = await startChild();
    try {
      child.ask('write', path, 'writer').catch(() => undefined);
      for (let round = 1; round <= 3; round += 1) {
        await child.saying(round * 5000);
        const acknowledged = saidWhole(child);
        const target = `${directory}/backup ${round}.db`;
        const report = await fileCare(path).backup(target);
        assert.deepEqual(report.damage, []);
        assert.equal(statSync(target).mode & 0o777, 0o600);
        assert.ok(report.counts['login']! >= acknowledged.length);
        const copy = open(target);
        const found = await inParallel(acknowledged.length, (n) =>
          findLogin(copy, loginNamed(acknowledged[n]!)),
        );
        assert.ok(found.every((login) => login !== undefined));
        await copy.close();
      }
      // It was written to all the while.
      await child.saying(child.said().length + 1);
    } finally {
      await child.kill();
    }
    const backups = [1, 2, 3].map((round) => `backup ${round}.db`);
    assert.deepEqual(readdirSync(directory).toSorted(), [...backups, 'data']);
  },
);

withBackup(
  'FAULTS 8: what was granted is gone from the file, and the replaced file is kept',
  async (path, backup) => {
    const before = open(path);
    await refresh(before, aLogin(), 'next');
    await before.revoke(club, { place: aLogin().place }, at(60));
    await before.add('client', [aClient({ id: 'partnerapi-00009' as ClientId })]);
    await before.close();
    const report = await fileCare(path).restore(backup, 'staging');
    const { replaced: kept = '' } = report;
    assert.match(kept, /\/jetway\.db\.before-restore-\d{8}T\d{6}\.\d{3}Z$/);
    assert.deepEqual(report.voided, { code: 1, known_code: 2, login: 2, token_key: 1 });
    assert.deepEqual(report.damage, []);
    // Not even in pages that nobody reads any more.
    assert.ok(!readFileSync(path).includes(codeName(club, key('unspent')).digest));
    // The replaced file is what it was.
    const replaced = open(kept);
    assert.equal((await replaced.list('client', club)).length, 2);
    await replaced.close();
  },
);

withBackup('FAULTS 6: neither itself nor a foreign file is a target', async (path, backup) => {
  const before = readFileSync(path);
  const foreign = `${dirname(path)}/foreign.db`;
  execute(foreign, 'CREATE TABLE theirs (id INTEGER PRIMARY KEY)');
  for (const [target, from, message] of [
    [path, path, /is the store itself/],
    [foreign, backup, /is a file of another application/],
  ] as const) {
    await assert.rejects(fileCare(target).restore(from, 'staging'), isUnusable(message));
  }
  await assert.rejects(
    fileCare(path).backup(path, { overwrite: true }),
    isUnusable(/is the store itself/),
  );
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(readdirSync(dirname(path)).toSorted(), ['foreign.db', 'jetway.db']);
});
