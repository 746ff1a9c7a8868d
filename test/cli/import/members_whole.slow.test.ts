// FAULTS 37: a member import is there whole or not at all, also where it is killed; of a very large one the
// same holds of each of its parts, and that is told.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { addMembers } from '../../../src/cli/import/members.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import type { Subject } from '../../../src/oauth/member.ts';
import { openMemoryStore } from '../../../src/store/sqlite/store.ts';
import { aMember } from '../../store/fixtures.ts';
import { program } from '../../support/program.ts';
import { without } from '../../support/tools.ts';
import { environment, putSecret } from '../command.ts';
import { postgresSite, storePath } from '../store/postgres_site.ts';

const bcrypt = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const club = 'club' as ProgrammeId;

/** More than a commit of the file store keeps in memory: the log grows before the end. */
const sizes = { file: 12_000, postgres: 4000 };

describe('member import', { skip: without('postgres') }, () => {
  for (const [config, many] of Object.entries(sizes)) {
    test(`FAULTS 37: a killed one has added all or nobody, in a store of ${config}`, async (t) => {
      const site = await postgresSite(t);
      const { folder, run, query } = site;
      const rows = Array.from({ length: many }, (_, index) => `member${index},${bcrypt}\n`);
      putSecret(folder, 'members.csv', `username,bcrypt\n${rows.join('')}`);
      assert.equal((await run(config, 'member', 'list')).code, 0);
      const args = ['member', 'import', 'members.csv', '--programme', 'club'];
      const log = `${storePath(folder, 'jetway.db')}-wal`;
      /** Whether members are being written. */
      const isWriting = async (): Promise<boolean> => {
        if (config === 'file') {
          return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000;
        }
        const found = await query(
          `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH gate AS%'
           AND pid <> pg_backend_pid()`,
        );
        return found.length > 0;
      };
      const counted = async (): Promise<number> => {
        const { stdout, code, stderr } = await run(config, 'member', 'list', '--count');
        assert.deepEqual([code, stderr], [0, '']);
        return Number(stdout);
      };
      const [node, ...line] = [process.execPath, program, ...args, '--config', `${config}.yaml`];
      const child = spawn(node, line, { cwd: folder, env: environment, stdio: 'ignore' });
      const ended = once(child, 'exit');
      while (child.exitCode === null && !(await isWriting())) await sleep(1);
      child.kill('SIGKILL');
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      // PostgreSQL ends the statement that it has begun, though nobody waits for it.
      if (config === 'postgres') while (await isWriting()) await sleep(10);
      const left = await counted();
      assert.ok(left === 0 || left === many, `${left} members`);
      const again = await run(config, ...args, '--json');
      assert.equal(again.stderr, '');
      assert.deepEqual(JSON.parse(again.stdout), {
        programme: 'club',
        imported: many - left,
        unchanged: left,
        dry_run: false,
      });
      assert.equal(await counted(), many);
    });
  }

  test('FAULTS 37: of a very large one it is told which part is there', async () => {
    const store = openMemoryStore();
    const last = 45_000;
    const at = { file: 'members.csv', line: 1, column: 1 };
    const entries = Array.from({ length: last + 1 }, (_, index) => ({
      at,
      given: new Map([['bcrypt', [{ text: bcrypt, at }]]]),
      item: { username: `member${index}`, status: 'active' as const },
    }));
    const taken = aMember({ programme: club, subject: 'another' as Subject });
    await store.add('member', [{ ...taken, username: `member${last}` }]);
    const open = { store, clock: systemClock() } as unknown as Parameters<typeof addMembers>[0];
    const programme = { id: club } as Parameters<typeof addMembers>[1];
    const add = (): Promise<readonly string[]> =>
      addMembers(open, programme, entries as never, () => undefined);
    await assert.rejects(add(), {
      name: 'CommandError',
      message: `40000 of 45001 members are imported, and none of the rest: "member${last}" came to be taken in club meanwhile; import the file again without them, which passes over those that are there`,
    });
    assert.equal((await store.list('member', club)).length, 40_001);
  });
});
