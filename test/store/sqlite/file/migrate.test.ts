// Owns tests of bringing older store files up to date: nothing is lost, and nothing is half done.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { Digest } from '../../../../src/lib/digest.ts';
import type { SigningKeyRecord } from '../../../../src/oauth/signing_key.ts';
import { allDamage } from '../../../../src/store/sqlite/care/check.ts';
import { copyBefore } from '../../../../src/store/sqlite/file/migrate.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { rowSum } from '../../../../src/store/sqlite/sums.ts';
import { StoreUnusable } from '../../../../src/store/unusable.ts';
import { without } from '../../../support/tools.ts';
import { scratchFile } from '../../file_directory.ts';
import {
  aClient,
  aCode,
  aFamily,
  aMember,
  anAccessToken,
  aPartnerToken,
  aRefreshToken,
  aRotation,
  aSigningKey,
  at,
  club,
  familyId,
  key,
  otherClub,
  otherPartner,
  partner,
} from '../../fixtures.ts';
import { retried } from '../../login.ts';
import { traced } from '../../strace.ts';

/** The schemas there were. */
type Older = 1 | 2 | 3;

/** Makes the file as the code of that schema left it. */
function makeOlder(path: string, version: Older): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec(readFileSync(new URL(`../../schema_${version}.sql`, import.meta.url), 'utf8'));
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

function withSchema1(
  name: string,
  body: (path: string) => Promise<void>,
  skip: string | false = false,
): void {
  test(`migration: ${name}`, { skip }, async () => {
    const { path, remove } = scratchFile();
    try {
      makeOlder(path, 1);
      await body(path);
    } finally {
      remove();
    }
  });
}

/** A test for each schema there was. */
function withEach(name: string, body: (path: string, version: Older) => Promise<void>): void {
  for (const version of [1, 2, 3] as const) {
    test(`migration from schema ${version}: ${name}`, async () => {
      const { path, remove } = scratchFile();
      try {
        makeOlder(path, version);
        await body(path, version);
      } finally {
        remove();
      }
    });
  }
}

function inspect<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

const versionOf = (database: DatabaseSync): unknown =>
  database.prepare('PRAGMA user_version').get()?.['user_version'];

const tablesOf = (database: DatabaseSync): unknown =>
  database.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all();

/** Everything but two meta rows that tell of the making and the latest time. */
function rowsOf(database: DatabaseSync): unknown {
  const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
  return names.map(({ name }) => database.prepare(`SELECT * FROM ${String(name)}`).all());
}

withEach('FAULTS 26: all there was is there, as it was', async (path, version) => {
  const store = openFileStore({ path, environment: 'staging' });
  const disabled = aClient({ id: otherPartner, status: 'disabled' });
  assert.deepEqual(await store.listClients(club), [aClient(), disabled]);
  assert.deepEqual(await store.listClients(otherClub), [aClient({ programme: otherClub })]);
  assert.deepEqual(await store.listMembers(club), [aMember()]);
  const other = aMember({ programme: otherClub, username: 'other' });
  assert.deepEqual(await store.findMember(otherClub, 'other'), other);
  // Keys of schema 1 signed from the moment they were made.
  assert.deepEqual(await store.listSigningKeys(club), [
    aSigningKey('first', {
      createdAt: at(1),
      signsFrom: at(1),
      ...(version === 1 ? {} : { retiresAt: at(60) }),
    }),
    aSigningKey('second', { algorithm: 'RS256', createdAt: at(2), signsFrom: at(2) }),
  ]);
  const {
    scope: _scope,
    codeChallenge: _challenge,
    ...bare
  } = aCode({
    programme: otherClub,
    key: key('bare'),
    transaction: 'login bare',
  });
  assert.deepEqual(await store.findCode(otherClub, key('bare'), at(1)), bare);
  assert.deepEqual(
    await store.findAccessToken(club, key('partner'), at(1)),
    aPartnerToken('partner'),
  );
  const access = anAccessToken('access live', { family: familyId('live') });
  assert.deepEqual(await store.findAccessToken(club, key('access live'), at(1)), access);
  assert.equal(await store.findAccessToken(club, key('access revoked'), at(1)), undefined);
  assert.deepEqual(await store.findRefreshToken(club, key('second live'), at(1)), {
    ...aRefreshToken('second live'),
    family: aFamily({ id: familyId('live') }),
    revoked: false,
    rotated: false,
  });
  await store.close();
});

withEach('FAULTS 28: what an older Jetway granted ends with a revocation', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const living = async (): Promise<readonly boolean[]> => [
    (await store.findCode(club, key('unspent'), at(1))) !== undefined,
    (await store.findAccessToken(club, key('partner'), at(1))) !== undefined,
    (await store.findAccessToken(club, key('access live'), at(1))) !== undefined,
    (await store.findRefreshToken(club, key('second live'), at(1)))?.revoked === false,
    await store.isStanding(club, { client: partner, subject: 'x', issuedAt: at(10 ** 6) }),
  ];
  assert.deepEqual(await living(), [true, true, true, true, true]);
  await store.revokeAll(club, { client: partner });
  assert.deepEqual(await living(), [false, false, false, false, false]);
  await store.close();
});

withEach('FAULTS 26: what was granted goes on where it was', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const revoked = await store.findRefreshToken(club, key('first revoked'), at(2));
  assert.equal(revoked?.revoked, true);
  const retry = aRotation('first live', 'x', { now: at(5) });
  assert.deepEqual(await store.rotateRefreshToken(retry), retried('second live'));
  const family = aFamily({ id: familyId('new') });
  const spend = (name: string) => store.spendCode(club, partner, key(name), { family }, at(5));
  assert.deepEqual(await spend('unspent'), { outcome: 'spent' });
  assert.deepEqual(await spend('code live'), { outcome: 'replayed', family: 'live' });
  const next = aRotation('second live', 'third', { now: at(6) });
  assert.deepEqual(await store.rotateRefreshToken(next), { outcome: 'unknown' });
  await store.revokeAll(club, { subject: 'subject-1' });
  assert.equal(
    await store.isStanding(club, { client: partner, subject: 'subject-1', issuedAt: at(6) }),
    false,
  );
  await store.close();
});

test('migration from schema 3: what was revoked up to an instant stays revoked, and no more', async () => {
  const { path, remove } = scratchFile();
  try {
    makeOlder(path, 3);
    const older = new DatabaseSync(path);
    const values = [club, `client ${partner}`, at(3)];
    older.prepare('INSERT INTO revocation VALUES (?, ?, ?, ?)').run(...values, rowSum(values));
    older.close();
    const store = openFileStore({ path, environment: 'staging' });
    assert.equal((await store.findRefreshToken(club, key('second live'), at(4)))?.revoked, true);
    const jwt = { client: partner, subject: `client:${partner}` };
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(3) }), false);
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(4) }), true);
    const era = await store.era();
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(3), era }), true);
    await store.saveAccessToken(aPartnerToken('new'));
    assert.ok(await store.findAccessToken(club, key('new'), at(4)));
    await store.close();
  } finally {
    remove();
  }
});

withEach(
  'FAULTS 26: the result is what a new file is, its copy what there was',
  async (path, version) => {
    const before = inspect(path, rowsOf);
    const store = openFileStore({ path, environment: 'staging' });
    await store.close();
    const copy = copyBefore(path, schemaVersion);
    assert.deepEqual(readdirSync(dirname(path)), ['jetway.db', basename(copy)]);
    await openFileStore({ path: `${path}.fresh`, environment: 'staging' }).close();
    assert.deepEqual(inspect(path, tablesOf), inspect(`${path}.fresh`, tablesOf));
    assert.deepEqual(inspect(path, versionOf), schemaVersion);
    assert.deepEqual(inspect(path, allDamage), []);
    assert.equal(inspect(copy, versionOf), version);
    assert.deepEqual(inspect(copy, rowsOf), before);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
  },
);

withEach('C-4: clients are found by the API keys they had', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const holder = (programme: typeof club) =>
    store.findClientsByApiKey(programme, 'digest-of-key' as Digest);
  assert.deepEqual(
    (await holder(club)).map(({ id }) => id),
    [otherPartner, partner].toSorted(),
  );
  assert.deepEqual(await holder(otherClub), [aClient({ programme: otherClub })]);
  await store.changeClient(club, partner, (client) => ({ ...client, apiKeys: [] }));
  assert.deepEqual(
    (await holder(club)).map(({ id }) => id),
    [otherPartner],
  );
  await store.removeClient(club, otherPartner, at(9));
  assert.deepEqual(await holder(club), []);
  await store.close();
});

withEach('HOSTILE 56: no master key is believed that opens no key of the file', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const asked: string[] = [];
  const opens = (answer: boolean) => (signingKey: SigningKeyRecord) => {
    asked.push(`${signingKey.programme} ${signingKey.kid}`);
    return answer;
  };
  assert.equal(await store.ensureKeyCheck('wrong', opens(false)), undefined);
  assert.equal(await store.ensureKeyCheck('right', opens(true)), 'right');
  assert.equal(await store.ensureKeyCheck('wrong', opens(true)), 'right');
  assert.deepEqual(asked, ['executive-club first', 'executive-club first']);
  await store.close();
});

withSchema1('C-3: the wrong environment changes nothing', async (path) => {
  const before = readFileSync(path);
  const open = (): unknown => openFileStore({ path, environment: 'live' });
  assert.throws(open, /belongs to environment staging/);
  assert.deepEqual(readFileSync(path), before);
  assert.equal(existsSync(`${path}.before-schema-4`), false);
});

withSchema1('FAULTS 26: not under a running Jetway of the older schema', async (path) => {
  const older = new DatabaseSync(path);
  versionOf(older);
  const open = (): unknown => openFileStore({ path, environment: 'staging' });
  assert.throws(
    open,
    (error) => error instanceof StoreUnusable && /is in use by another process/.test(error.message),
  );
  assert.equal(versionOf(older), 1);
  older.close();
  await openFileStore({ path, environment: 'staging' }).close();
});

withSchema1(
  'FAULTS 26: killed at any write, the file is of one schema or the other, whole',
  async (path) => {
    const pristine = `${path}.pristine`;
    copyFileSync(path, pristine);
    const writes = ['-e', 'trace=pwrite64,fdatasync,fsync,rename'];
    const all = await traced(writes, './opener.ts', [path]);
    assert.equal(all.stdout, 'opened\n');
    const count = all.calls.filter((call) => call.includes('pwrite64')).length;
    assert.ok(count > 20, `${count} writes`);
    const seen = new Set<unknown>();
    for (let n = 1; n <= count; n += Math.ceil(count / 14)) {
      for (const suffix of ['', '-wal', '-shm', '.before-schema-4']) {
        rmSync(path + suffix, { force: true });
      }
      copyFileSync(pristine, path);
      const kill = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=KILL:when=${n}`];
      const { stdout } = await traced(kill, './opener.ts', [path]);
      assert.equal(stdout.includes('opened') && n < count / 2, false);
      seen.add(inspect(path, versionOf));
      const store = openFileStore({ path, environment: 'staging' });
      assert.deepEqual(await store.findClient(club, partner), aClient(), `killed at write ${n}`);
      assert.ok(await store.findAccessToken(club, key('access live'), at(1)));
      await store.close();
      assert.deepEqual(inspect(path, allDamage), []);
    }
    // Whoever is killed leaves its draft; the next migration takes it away.
    const drafts = readdirSync(dirname(path)).filter((name) => name.endsWith('.new'));
    assert.ok(drafts.length <= 1, drafts.join(', '));
    assert.ok(seen.has(1) && seen.has(schemaVersion), `ended with schema ${[...seen].join(', ')}`);
  },
  without('strace'),
);
