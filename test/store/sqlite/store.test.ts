// Owns tests of what is the file store's own: the file, who may open it, and what it refuses.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { milliseconds } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import { Unavailable } from '../../../src/oauth/failure.ts';
import type { Environment } from '../../../src/store/contract.ts';
import { openFile } from '../../../src/store/sqlite/file/open.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../../src/store/unusable.ts';
import { execute, withFile } from '../file_directory.ts';
import { aClient, aCode, at, club, inParallel, key, loginNamed, partner } from '../fixtures.ts';
import { findCode, findLogin } from '../login.ts';

/** Makes a store with a client and `logins` logins, closed. */
async function make(path: string, logins = 0): Promise<void> {
  const store = openFileStore({ path, environment: 'staging', now: at(0) });
  await store.add('client', [aClient()]);
  await inParallel(logins, (n) => store.startLogin(loginNamed(`login ${n}`)));
  await store.close();
}

/** Asserts that the file is refused with such a message, and that not a byte of it has changed. */
function refused(path: string, message: RegExp, environment: Environment = 'staging'): void {
  const before = existsSync(path) ? readFileSync(path) : undefined;
  assert.throws(
    () => openFileStore({ path, environment }),
    (error) => {
      assert.ok(error instanceof StoreUnusable, String(error));
      assert.match(error.message, message);
      assert.ok(error.message.includes(path) && error.hint !== '');
      return true;
    },
  );
  assert.deepEqual(existsSync(path) ? readFileSync(path) : undefined, before);
}

withFile('C-3: belongs to the environment it was made in', async (path) => {
  await make(path);
  refused(path, /belongs to environment staging; this configuration is for live/, 'live');
  const store = openFileStore({ path, environment: 'staging' });
  assert.deepEqual(await store.find('client', club, partner), aClient());
  await store.close();
});

function write(path: string, content: string): void {
  mkdirSync(dirname(path));
  writeFileSync(path, content);
}

async function truncate(path: string, toSize: (bytes: number) => number): Promise<void> {
  await make(path, 500);
  truncateSync(path, Math.floor(toSize(statSync(path).size)));
}

const theirs = 'CREATE TABLE theirs (id INTEGER PRIMARY KEY); PRAGMA application_id = 42';

/** By what a file is: what makes it so, and what it is refused with. */
const unusable: Readonly<Record<string, readonly [(path: string) => unknown, RegExp]>> = {
  'another application’s': [
    (path) => {
      mkdirSync(dirname(path));
      execute(path, theirs);
    },
    /is a database of another application \(application_id 42\)/,
  ],
  'no database': [(path) => write(path, 'not a database\n'.repeat(500)), /is not a database/],
  'a word': [(path) => write(path, 'short'), /is not a database|is empty/],
  empty: [(path) => write(path, ''), /is empty/],
  'half of one': [(path) => truncate(path, (bytes) => bytes / 2), /is damaged/],
  'a tenth of one': [(path) => truncate(path, (bytes) => bytes / 10), /is damaged/],
  'a header of one': [(path) => truncate(path, () => 100), /is damaged|is not a database/],
  'one with scribbled pages': [
    async (path) => {
      await make(path, 500);
      const bytes = readFileSync(path);
      for (let page = 4; page < bytes.length / 4096; page += 1)
        bytes.fill(0xa5, page * 4096, page * 4096 + 64);
      writeFileSync(path, bytes);
    },
    /is damaged/,
  ],
  'gone but for its log': [
    (path) => write(`${path}-wal`, '\x01'.repeat(4152)),
    /is gone but its log .* is there/,
  ],
  'one with a number that no Jetway writes': [
    async (path) => {
      await make(path);
      execute(path, 'UPDATE registered SET sum = 9223372036854775807');
    },
    / is damaged: Value is too/,
  ],
};

for (const [what, [spoil, message]] of Object.entries(unusable)) {
  withFile(`FAULTS 6: a file that is ${what} is refused, never made anew`, async (path) => {
    await spoil(path);
    refused(path, message);
  });
}

withFile('FAULTS 6: what is no file is refused, and not waited for', async (path) => {
  mkdirSync(path, { recursive: true });
  assert.throws(() => openFileStore({ path, environment: 'staging' }), {
    message: `store ${path} is a directory`,
    hint: `name a file in it in the configuration, such as store: file:${path}/jetway.db`,
  });
  rmSync(path, { recursive: true });
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  // Nobody writes to it: it would be waited for.
  assert.throws(() => openFileStore({ path, environment: 'staging' }), {
    name: StoreUnusable.name,
    message: `${path} is no regular file`,
  });
});

withFile('FAULTS 6: a server’s store that is gone is not made anew', async (path) => {
  await openFileStore({ path, environment: 'staging', reserve: 65_536 }).close();
  rmSync(path);
  refused(path, /is gone, which a server had/);
  rmSync(`${path}-reserve`);
  await make(path);
});

withFile('file and directory are the owner’s alone', async (path) => {
  const store = openFileStore({ path, environment: 'live' });
  await store.add('client', [aClient()]);
  const mode = (name: string): string => (statSync(name).mode & 0o777).toString(8);
  assert.equal(mode(dirname(path)), '700');
  for (const suffix of ['', '-wal', '-shm']) assert.equal(mode(path + suffix), '600');
  await store.close();
  // Making it has left nothing beside it.
  assert.deepEqual(readdirSync(dirname(path)), ['jetway.db']);
});

withFile('a directory that is there keeps its mode', async (path) => {
  mkdirSync(dirname(path));
  chmodSync(dirname(path), 0o755);
  await make(path);
  assert.equal((statSync(dirname(path)).mode & 0o777).toString(8), '755');
});

withFile('a path below a plain file cannot be opened', async (_path, directory) => {
  writeFileSync(`${directory}/plain`, '');
  const path = `${directory}/plain/jetway.db`;
  assert.throws(
    () => openFileStore({ path, environment: 'staging' }),
    (error) => error instanceof StoreUnusable && error.message.includes('cannot be opened'),
  );
});

withFile('a path with signs of its own is one file', async (_path, directory) => {
  await make(`${directory}/50% of a?b#c&mode=memory.db`);
  assert.deepEqual(readdirSync(directory), ['50% of a?b#c&mode=memory.db']);
});

withFile('FAULTS 3, 9: every commit is synchronised, and no lock holds the loop', async (path) => {
  const { database, close } = openFile(path, 'staging', at(0));
  const pragma = (name: string): unknown =>
    Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  assert.equal(pragma('journal_mode'), 'wal');
  assert.equal(pragma('synchronous'), 2);
  // A lock is waited for between turns of the event loop, never in SQLite.
  assert.equal(Object.values(database.prepare('PRAGMA busy_timeout').get() ?? {})[0], 0);
  close();
});

withFile('G-22: a closed store is an outage, and closing twice is none', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const queued = store.startLogin(loginNamed('one'));
  await store.close();
  await queued;
  await store.close();
  await assert.rejects(async () => store.find('client', club, partner), Unavailable);
  await assert.rejects(store.startLogin(loginNamed('late')), Unavailable);
  const again = openFileStore({ path, environment: 'staging' });
  assert.ok(await findLogin(again, loginNamed('one')));
  await again.close();
});

withFile(
  'HOSTILE 18: attempts and locks are in the file before they are answered',
  async (path) => {
    const store = openFileStore({ path, environment: 'staging' });
    const policy = { attempts: 1, window: milliseconds(60_000), lock: milliseconds(60_000) };
    const begin = () => store.reserveAttempt(club, 'one' as Digest, policy, at(0));
    const reader = new DatabaseSync(path, { readOnly: true });
    const select = reader.prepare('SELECT used, locked_until FROM login_attempt');
    const kept = (): unknown[] => Object.values(select.get() ?? {});
    assert.deepEqual(await begin(), { allowed: true });
    assert.deepEqual(kept(), [1, null]);
    assert.deepEqual(await begin(), { allowed: false, retryAfter: policy.lock });
    assert.deepEqual(kept(), [1, at(60)]);
    await store.settleAttempt(club, 'one' as Digest, 'match', at(0));
    assert.deepEqual(kept(), []);
    reader.close();
    await store.close();
  },
);

withFile('HOSTILE 18: attempts share the commit of the logins they arrive with', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const policy = { attempts: 5, window: milliseconds(60_000), lock: milliseconds(60_000) };
  const before = store.commits();
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => [
      store.startLogin(loginNamed(`login ${n}`)),
      store.reserveAttempt(club, `account ${n % 7}` as Digest, policy, at(0)),
    ]).flat(),
  );
  assert.equal(store.commits() - before, 1);
  await store.close();
});

withFile('FAULTS 36: a damaged row number fails no commit', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  await store.issueCode(aCode());
  execute(path, 'UPDATE code SET rowid = 9007199254740992');
  // Its row follows the damaged one.
  await store.issueCode(aCode({ key: key('second'), transaction: 'login-2' }));
  await store.startLogin(loginNamed('one'));
  for (const name of ['code', 'second']) assert.ok(await findCode(store, name, 1));
  assert.ok(await findLogin(store, loginNamed('one')));
  await store.close();
});
