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

import type { Digest } from '../../../../src/lib/digest.ts';
import type { ClientId } from '../../../../src/oauth/client.ts';
import type { SigningKeyRecord } from '../../../../src/oauth/signing_key.ts';
import { rowSum } from '../../../../src/store/sql/table.ts';
import { allDamage } from '../../../../src/store/sqlite/care/check.ts';
import { copyBefore, migrate } from '../../../../src/store/sqlite/file/migrate.ts';
import { schemaVersion } from '../../../../src/store/sqlite/schema.ts';
import { openFileStore } from '../../../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../../../src/store/unusable.ts';
import { without } from '../../../support/tools.ts';
import { withFile } from '../../file_directory.ts';
import {
  aClient,
  aCode,
  aFamily,
  aGateway,
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
  findMember,
} from '../../fixtures.ts';
import { findAccess, findCode, findRefresh, retried, rotate } from '../../login.ts';
import { traced } from '../../strace.ts';

/** Makes the file as the code of schema 5 left it. */
function makeOlder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '', { mode: 0o600 });
  const database = new DatabaseSync(path);
  database.exec(readFileSync(new URL('../../schema_5.sql', import.meta.url), 'utf8'));
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
}

function withOlder(
  name: string,
  body: (path: string) => Promise<void>,
  skip: string | false = false,
): void {
  withFile(
    `migration: ${name}`,
    async (path) => {
      makeOlder(path);
      await body(path);
    },
    skip,
  );
}

const thirdPartner = 'partnerapi-00003' as ClientId;

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

withOlder('FAULTS 26: all there was is there, as it was', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const disabled = aClient({ id: otherPartner, status: 'disabled' });
  const third = aClient({ id: thirdPartner, apiKeys: [], secrets: [] });
  assert.deepEqual(await store.list('client', club), [aClient(), disabled, third]);
  assert.notDeepEqual(
    await store.add('client', [aClient({ id: 'partnerapi-00009' as ClientId })]),
    [],
  );
  const uses = await store.secretUses(club, partner);
  assert.deepEqual([...uses], [['digest-of-secret', at(2)]]);
  assert.deepEqual(await store.list('gateway', club), [aGateway()]);
  assert.deepEqual(await store.list('client', otherClub), [aClient({ programme: otherClub })]);
  assert.deepEqual(await store.list('member', club), [aMember()]);
  const other = aMember({ programme: otherClub, username: 'other' });
  assert.deepEqual(await findMember(store, otherClub, 'other'), other);
  assert.deepEqual(await store.list('signing_key', club), [
    aSigningKey('first', {
      createdAt: at(1),
      signsFrom: at(1),
      retiresAt: at(60),
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
  assert.deepEqual(await findCode(store, 'bare', 1, otherClub), bare);
  assert.deepEqual(await findAccess(store, 'partner', 1), aPartnerToken('partner'));
  const access = anAccessToken('access live', { family: familyId('live') });
  assert.deepEqual(await findAccess(store, 'access live', 1), access);
  assert.equal(await findAccess(store, 'access revoked', 1), undefined);
  assert.deepEqual(await findRefresh(store, 'second live', 1), {
    ...aRefreshToken('second live'),
    family: aFamily({ id: familyId('live') }),
    revoked: false,
    rotated: false,
  });
  await store.close();
});

withOlder('FAULTS 28: what an older Jetway granted ends with a revocation', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const living = async (): Promise<readonly boolean[]> => [
    (await findCode(store, 'unspent', 1)) !== undefined,
    (await findAccess(store, 'partner', 1)) !== undefined,
    (await findAccess(store, 'access live', 1)) !== undefined,
    (await findRefresh(store, 'second live', 1))?.revoked === false,
    await store.isStanding(club, { client: partner, subject: 'x', issuedAt: at(10 ** 6) }),
  ];
  assert.deepEqual(await living(), [true, true, true, true, true]);
  await store.revokeAll(club, { client: partner });
  assert.deepEqual(await living(), [false, false, false, false, false]);
  await store.close();
});

withOlder('FAULTS 26: what was granted goes on where it was', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const revoked = await findRefresh(store, 'first revoked', 2);
  assert.equal(revoked?.revoked, true);
  assert.deepEqual(await rotate(store, 'first live', 'x', 5), retried('second live'));
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

withOlder(
  'FAULTS 28: tokens of an era that had ended are dead, later tokens are not',
  async (path) => {
    const store = openFileStore({ path, environment: 'staging' });
    const isLive = async (name: string): Promise<readonly boolean[]> => [
      (await findCode(store, `unspent ${name}`, 7)) !== undefined,
      (await findAccess(store, `partner ${name}`, 7)) !== undefined,
      (await findAccess(store, `access ${name}`, 7)) !== undefined,
      (await findRefresh(store, `first ${name}`, 7))?.revoked === false,
      await store.isStanding(club, {
        client: thirdPartner,
        subject: 'subject-1',
        family: familyId(name),
        issuedAt: at(6),
      }),
    ];
    assert.deepEqual(await isLive('early'), [false, false, false, false, false]);
    assert.deepEqual(await isLive('late'), [true, true, true, true, true]);
    assert.equal(await findAccess(store, 'access ended', 7), undefined);
    assert.deepEqual(
      await rotate(store, 'first late', 'x', 1, { client: thirdPartner, now: at(7) }),
      retried('second late'),
    );
    const jwt = { client: partner, subject: `client:${partner}`, issuedAt: at(6) };
    const end = { expiresAt: at(1800) };
    assert.equal(await store.isStanding(club, { ...jwt, tokenId: 'jti-1', ...end }), false);
    assert.equal(await store.isStanding(club, { ...jwt, tokenId: 'jti-2', ...end }), true);
    const shown = await store.findAttempts(club, 'locked' as Digest, at(7));
    assert.deepEqual(shown, { failures: 1, lockedUntil: at(1_000_006) });
    await store.close();
  },
);

withOlder(
  'FAULTS 28: rows from before eras are revoked up to an instant, and no more',
  async (path) => {
    const older = new DatabaseSync(path);
    const values = [club, `client ${partner}`, at(3)];
    older.prepare('INSERT INTO revocation VALUES (?, ?, ?, ?)').run(...values, rowSum(values));
    older.close();
    const store = openFileStore({ path, environment: 'staging' });
    assert.equal((await findRefresh(store, 'second live', 4))?.revoked, true);
    const jwt = { client: partner, subject: `client:${partner}` };
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(3) }), false);
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(4) }), true);
    const era = await store.era();
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(3), era }), true);
    await store.saveAccessToken(aPartnerToken('new'));
    assert.ok(await findAccess(store, 'new', 4));
    await store.close();
  },
);

withOlder('FAULTS 6: rows that did not fit their sums still do not', async (path) => {
  const older = new DatabaseSync(path);
  older.exec(`UPDATE code SET login = login || 'x' WHERE key IN ('unspent', 'unspent late');
    UPDATE family SET revoked_at = NULL WHERE key = 'revoked';
    UPDATE access_token SET kind = 'client' WHERE key IN ('access live', 'access late')`);
  older.close();
  const database = new DatabaseSync(path);
  migrate(database);
  const expected = 'rows do not fit their checksums: 2 of code, 1 of family, 2 of access_token';
  assert.deepEqual(allDamage(database), [expected]);
  database.close();
});

withOlder('FAULTS 26: schemas 1 to 4 are refused, with the way to bring them up', async (path) => {
  for (const version of [1, 4]) {
    const older = new DatabaseSync(path);
    older.exec(`PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
    older.close();
    const before = readFileSync(path);
    assert.throws(
      () => openFileStore({ path, environment: 'staging' }),
      (error) =>
        error instanceof StoreUnusable &&
        error.message.endsWith(
          `has schema ${version}; this Jetway knows schema 6 and brings schema 5 up to it`,
        ) &&
        error.hint === 'open it once with the Jetway that wrote schema 5, then with this one',
    );
    assert.deepEqual(readFileSync(path), before);
  }
});

withOlder('FAULTS 26: the result is what a new file is, its copy what there was', async (path) => {
  const before = inspect(path, rowsOf);
  await openFileStore({ path, environment: 'staging' }).close();
  const copy = copyBefore(path, schemaVersion);
  assert.deepEqual(readdirSync(dirname(path)), ['jetway.db', basename(copy)]);
  await openFileStore({ path: `${path}.fresh`, environment: 'staging' }).close();
  assert.deepEqual(inspect(path, tablesOf), inspect(`${path}.fresh`, tablesOf));
  assert.deepEqual(inspect(path, versionOf), schemaVersion);
  assert.deepEqual(inspect(path, allDamage), []);
  assert.equal(inspect(copy, versionOf), 5);
  assert.deepEqual(inspect(copy, rowsOf), before);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
});

withOlder('C-4: clients are found by the API keys they had', async (path) => {
  const store = openFileStore({ path, environment: 'staging' });
  const holder = (programme: typeof club) =>
    store.findBy('client', 'api_key', programme, 'digest-of-key' as Digest);
  assert.deepEqual(
    (await holder(club)).map(({ id }) => id),
    [otherPartner, partner].toSorted(),
  );
  assert.deepEqual(await holder(otherClub), [aClient({ programme: otherClub })]);
  await store.change('client', club, partner, (client) => ({ ...client, apiKeys: [] }));
  assert.deepEqual(
    (await holder(club)).map(({ id }) => id),
    [otherPartner],
  );
  await store.remove('client', club, otherPartner, at(9));
  assert.deepEqual(await holder(club), []);
  await store.close();
});

withOlder('HOSTILE 56: no master key is believed that opens no key of the file', async (path) => {
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

withOlder('C-3: the wrong environment changes nothing', async (path) => {
  const before = readFileSync(path);
  const open = (): unknown => openFileStore({ path, environment: 'live' });
  assert.throws(open, /belongs to environment staging/);
  assert.deepEqual(readFileSync(path), before);
  assert.equal(existsSync(`${path}.before-schema-6`), false);
});

withOlder('FAULTS 26: not under a running Jetway of the older schema', async (path) => {
  const older = new DatabaseSync(path);
  versionOf(older);
  const open = (): unknown => openFileStore({ path, environment: 'staging' });
  assert.throws(
    open,
    (error) => error instanceof StoreUnusable && /is in use by another process/.test(error.message),
  );
  assert.equal(versionOf(older), 5);
  older.close();
  await openFileStore({ path, environment: 'staging' }).close();
});

withOlder(
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
      for (const suffix of ['', '-wal', '-shm', '.before-schema-6']) {
        rmSync(path + suffix, { force: true });
      }
      copyFileSync(pristine, path);
      const kill = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=KILL:when=${n}`];
      const { stdout } = await traced(kill, './opener.ts', [path]);
      assert.equal(stdout.includes('opened') && n < count / 2, false);
      seen.add(inspect(path, versionOf));
      const store = openFileStore({ path, environment: 'staging' });
      assert.deepEqual(
        await store.find('client', club, partner),
        aClient(),
        `killed at write ${n}`,
      );
      assert.ok(await findAccess(store, 'access live', 1));
      await store.close();
      assert.deepEqual(inspect(path, allDamage), []);
    }
    // Whoever is killed leaves its draft; the next migration takes it away.
    const drafts = readdirSync(dirname(path)).filter((name) => name.endsWith('.new'));
    assert.ok(drafts.length <= 1, drafts.join(', '));
    assert.ok(seen.has(5) && seen.has(schemaVersion), `ended with schema ${[...seen].join(', ')}`);
  },
  without('strace'),
);
