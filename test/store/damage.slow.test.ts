// Owns tests of files that are not what was written: a start refuses them, and leaves them as they are.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { milliseconds } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { storeAt } from '../../src/store/open.ts';
import { finishedName } from '../../src/store/sql/login_rows.ts';
import { tables } from '../../src/store/sql/tables.ts';
import { readIndex } from '../../src/store/sqlite/file/log.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../src/store/unusable.ts';
import { killedWriter } from './children.ts';
import { execute, withFile } from './file_directory.ts';
import {
  aClient,
  aCode,
  aGateway,
  aMember,
  addSigningKey,
  aSigningKey,
  at,
  club,
  inParallel,
  key,
  loginNamed,
  otherPartner,
  partner,
  findMember,
} from './fixtures.ts';
import { findCode, findLogin, refresh } from './login.ts';

const open = (path: string) => openFileStore({ path, environment: 'staging' });

/** The message with which a start refuses the file; undefined where it opens. */
async function refusal(path: string): Promise<string | undefined> {
  try {
    await open(path).close();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StoreUnusable, String(error));
    assert.notEqual(error.hint, '');
    return error.message;
  }
}

/** File, log and index as a killed process left them, to put back after each experiment. */
async function crashedFile(
  path: string,
): Promise<{ logins: string[]; size: number; putBack: () => void }> {
  const logins = await killedWriter(path, 5000);
  const suffixes = ['', '-wal', '-shm'];
  for (const suffix of suffixes) copyFileSync(path + suffix, `${path}.kept${suffix}`);
  const putBack = (): void => {
    for (const suffix of suffixes) copyFileSync(`${path}.kept${suffix}`, path + suffix);
  };
  // Behind the committed frames lie those of earlier runs of the log, if any.
  const size = 32 + 4120 * (readIndex(`${path}-shm`)?.frames ?? 0);
  return { logins, size, putBack };
}

function flip(path: string, offset: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[offset]! ^= 1 << bit;
  writeFileSync(path, bytes);
}

withFile('FAULTS 6: a bit that flips anywhere in the log is noticed', async (path) => {
  const { size, putBack } = await crashedFile(path);
  for (let n = 0; n < 40; n += 1) {
    putBack();
    flip(`${path}-wal`, Math.floor((size * n) / 40) + ((n * 7) % 50), n % 8);
    const damaged = readFileSync(`${path}-wal`);
    assert.match((await refusal(path)) ?? '', /is damaged: its log .* is damaged|damaged header/);
    assert.deepEqual(readFileSync(`${path}-wal`), damaged, 'left as it is');
  }
});

withFile('FAULTS 6: a log that was found damaged stays so, whoever looks at it', async (path) => {
  const { size, putBack } = await crashedFile(path);
  const { look, care } = storeAt({ kind: 'file', path });
  const looks = {
    verify: () => verifyFile(path),
    backup: () => care?.backup(`${path}.backup`),
    look: async () => look?.('client'),
  };
  for (const [name, run] of Object.entries(looks)) {
    putBack();
    // In the last commit, of which only the index tells.
    flip(`${path}-wal`, size - 100, 0);
    const files = () => ['', '-wal', '-shm'].map((suffix) => readFileSync(path + suffix));
    const before = files();
    await assert.rejects(async () => run(), StoreUnusable);
    assert.deepEqual(files(), before, name);
    assert.match((await refusal(path)) ?? '', /is damaged: its log/, name);
  }
});

withFile('FAULTS 6: a truncated or missing log is noticed', async (path) => {
  const { size, putBack } = await crashedFile(path);
  for (const kept of [size - 1, size - 4120, Math.floor(size / 2), 4000, 32, 0]) {
    putBack();
    truncateSync(`${path}-wal`, kept);
    assert.match((await refusal(path)) ?? '', /is damaged: its log .* (is damaged|has lost)/);
  }
  putBack();
  rmSync(`${path}-wal`);
  assert.match((await refusal(path)) ?? '', /its log .* has lost \d+ pages/);
  putBack();
  assert.equal(await refusal(path), undefined);
});

withFile('FAULTS 6: after a power cut, damage before a later commit is noticed', async (path) => {
  const { size, putBack } = await crashedFile(path);
  for (let n = 0; n < 10; n += 1) {
    putBack();
    rmSync(`${path}-shm`);
    flip(`${path}-wal`, Math.floor((size * n) / 20), n % 8);
    assert.match((await refusal(path)) ?? '', /damaged header|commits follow it/);
  }
});

withFile('FAULTS 6: a commit that a power cut stopped is no damage', async (path) => {
  const { logins, size, putBack } = await crashedFile(path);
  for (const spoil of [
    (log: string) => truncateSync(log, size - 2000),
    (log: string) => flip(log, size - 2000, 3),
  ]) {
    putBack();
    rmSync(`${path}-shm`);
    spoil(`${path}-wal`);
    const store = open(path);
    const found = await inParallel(logins.length, (n) => findLogin(store, loginNamed(logins[n]!)));
    // The last commit was of a handful of lanes.
    assert.ok(found.slice(0, -16).every((login) => login !== undefined));
    await store.close();
  }
});

const account = 'digest-of-username' as Digest;
const policy = { attempts: 5, window: milliseconds(60_000), lock: milliseconds(60_000) };

const nth = (n: number) => loginNamed(`login ${n}`);

/** A closed store with rows of every kind. The first 20 codes are cut. */
async function makeFull(path: string): Promise<void> {
  const store = open(path);
  await store.add('client', [aClient()]);
  await store.add('member', [aMember()]);
  await addSigningKey(store, aSigningKey('kid'));
  await inParallel(40, async (n) => {
    const forgetAt = at(n < 20 ? 10 : 3600);
    await store.issueCode(aCode({ key: key(`code ${n}`), transaction: `login ${n}`, forgetAt }));
    await store.spendCode(club, partner, key(`code ${n}`), nth(n), at(1));
    if (n % 3 === 0) await refresh(store, nth(n), `next ${n}`);
    if (n % 4 === 0) await store.revoke(club, { place: nth(n).place }, at(2));
    await store.revoke(club, { tokenId: `jti ${n}`, expiresAt: at(9000) }, at(3));
  });
  await inParallel(20, (n) =>
    store.issueCode(aCode({ key: key(`code ${40 + n}`), transaction: `login ${40 + n}` })),
  );
  await store.sweep(at(10), 100);
  await store.revoke(club, { client: otherPartner });
  await store.add('gateway', [aGateway()]);
  await store.reserveAttempt(club, account, policy, at(3));
  await store.close();
}

withFile(
  'FAULTS 6: a bit that flips in the file is noticed, or changes no answer',
  async (path) => {
    await makeFull(path);
    const good = readFileSync(path);
    const before = rowsUnderSums(path);
    let noticed = 0;
    for (let n = 0; n < 300; n += 1) {
      // Evenly over the file, at ever other places in its pages.
      const offset = Math.floor((good.length * n) / 300) + ((n * 31) % 97);
      removeSidecars(path);
      writeFileSync(path, good);
      flip(path, Math.min(offset, good.length - 1), n % 8);
      if ((await refusal(path)) === undefined) {
        assert.deepEqual(rowsUnderSums(path), before, `byte ${offset}`);
      } else {
        noticed += 1;
      }
    }
    // The rest is the free space of pages, and what no answer depends on.
    assert.ok(noticed > 60, `${noticed} were noticed`);
  },
);

withFile(
  'FAULTS 6 C-4: verify tells of lost look-ups, and a change brings them back',
  async (path) => {
    await makeFull(path);
    const writer = new DatabaseSync(path);
    const { changes } = writer.prepare('DELETE FROM look_up').run();
    writer.close();
    const lost = (await verifyFile(path)).damage.join();
    assert.match(lost, /^keys are missing in look_up: (\d+) of client, (\d+) of member$/);
    const told = [...lost.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0);
    assert.equal(told, changes);
    const store = open(path);
    for (const { id } of await store.list('client', club)) {
      await store.change('client', club, id, (client) => client);
    }
    for (const { subject } of await store.list('member', club)) {
      await store.change('member', club, subject, (member) => member);
    }
    await store.close();
    assert.deepEqual((await verifyFile(path)).damage, []);
  },
);

withFile('FAULTS 6: a refused file and its log stay unchanged', async (path) => {
  await makeFull(path);
  const kept = `${path}.kept`;
  const writer = new DatabaseSync(path);
  writer.exec(`UPDATE registered SET record = record || ' ' WHERE kind = 'client'`);
  // As after a power cut: whoever closes it would fold its log in.
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, kept + suffix);
  writer.close();
  removeSidecars(path);
  for (const suffix of ['', '-wal']) copyFileSync(kept + suffix, path + suffix);
  const left = (): readonly Buffer[] => ['', '-wal'].map((suffix) => readFileSync(path + suffix));
  const before = left();
  assert.match(
    (await refusal(path)) ?? '',
    /is damaged: rows do not fit their checksums: 1 of registered$/,
  );
  assert.deepEqual(left(), before);
  assert.deepEqual((await verifyFile(path)).damage, [
    'rows do not fit their checksums: 1 of registered',
  ]);
  assert.deepEqual(left(), before);
  // C-3: so is what belongs elsewhere.
  assert.throws(() => openFileStore({ path, environment: 'live' }), StoreUnusable);
  assert.deepEqual(left(), before);
});

withFile('FAULTS 6: a row that is damaged under a running store gets no answer', async (path) => {
  await makeFull(path);
  const store = open(path);
  const name = Buffer.from(finishedName(club, 'login 22')).toString('hex');
  execute(
    path,
    `
    UPDATE login SET revoked_at = NULL WHERE place = ${nth(0).place};
    UPDATE login SET ends_at = ends_at + 1 WHERE place = ${nth(1).place};
    UPDATE login SET state = CAST(x'00000009' || substr(state, 5) AS BLOB)
      WHERE place = ${nth(2).place};
    UPDATE login SET details = replace(details, 'gold', 'bold') WHERE place = ${nth(5).place};
    UPDATE code SET client = 'another' WHERE login = 'login 40';
    UPDATE finished_login SET forget_at = forget_at + 1 WHERE login = x'${name}';
    UPDATE known_code SET redirect_uri = 'another' WHERE place = ${nth(4).place};
    UPDATE registered SET record = replace(record, 'partner.example', 'evil.example');
    UPDATE registered SET record = replace(record, 'subject-1', 'subject-2');
    UPDATE registered SET record = replace(record, 'ES256', 'RS256');
    UPDATE revocation SET revoked_until = 0;
    UPDATE revoked_token SET expires_at = expires_at + 1 WHERE key = 'jti 0';
    UPDATE registered SET record = replace(record, '"Edge"', '"Egde"');
    UPDATE look_up SET key = 'another digest' WHERE name = 'api_key';
    UPDATE login_attempt SET used = 99;
  `,
  );
  const own = { client: otherPartner, era: await store.era(), issuedAt: at(1) };
  const jti = { tokenId: 'jti 0', expiresAt: at(9000) };
  const damaged: readonly (readonly [string, () => unknown])[] = [
    ['login', () => findLogin(store, nth(0))],
    ['login', () => findLogin(store, nth(1))],
    ['login', () => store.advanceLogin(club, nth(2).place, nth(2), nth(2))],
    ['login', () => findLogin(store, nth(5))],
    ['code', () => store.spendCode(club, partner, key('code 40'), loginNamed('next'), at(2))],
    ['known_code', () => findCode(store, 'code 4', 11)],
    ['finished_login', () => store.issueCode(aCode({ transaction: 'login 22' }))],
    ['client', () => store.find('client', club, partner)],
    ['revocation', () => store.isStanding(club, { ...jti, tokenId: 'other', own })],
    ['revoked_token', () => store.isStanding(club, jti)],
    ['gateway', () => store.find('gateway', club, aGateway().id)],
    ['client', () => store.findBy('client', 'api_key', club, 'another digest' as Digest)],
    ['member', () => findMember(store, club, aMember().username)],
    ['member', () => store.find('member', club, aMember().subject)],
    ['signing_key', () => store.list('signing_key', club)],
  ];
  for (const [table, answer] of damaged) {
    const item = `the ${table.replace('_', ' ')} \\S+ of ${club}`;
    const message = new RegExp(`^store: (a row of ${table}|${item}) is damaged$`);
    await assert.rejects(
      async () => answer(),
      (error) => error instanceof Unavailable && message.test(error.message),
    );
  }
  // One bad row is no reason to refuse everybody else.
  assert.ok(await findLogin(store, nth(3)));
  // A count that is damaged is begun anew: it may not keep its member out.
  assert.deepEqual(await store.reserveAttempt(club, account, policy, at(4)), { allowed: true });
  await store.close();
  assert.match(
    (await refusal(path)) ?? '',
    /rows do not fit their checksums: 1 of revocation, 1 of revoked_token, 4 of registered, 1 of look_up, 4 of login, 1 of code, 1 of known_code, 1 of finished_login/,
  );
});

withFile(
  'FAULTS 6: a table that is not as we made it is noticed, however sound it is',
  async (path) => {
    await open(path).close();
    const good = readFileSync(path);
    for (const change of [
      'CREATE TRIGGER forget AFTER INSERT ON revocation BEGIN DELETE FROM revocation; END',
      'ALTER TABLE login RENAME COLUMN revoked_at TO kept_at',
      'DROP TABLE revoked_token',
    ]) {
      removeSidecars(path);
      writeFileSync(path, good);
      execute(path, change);
      const told = /its tables are not those of schema \d+/;
      assert.match((await refusal(path)) ?? '', told, change);
      assert.match((await verifyFile(path)).damage.join(), told, change);
    }
  },
);

/** All values that sums cover, as they are in the file. */
function rowsUnderSums(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    const held = tables.filter(({ summed }) => summed.length > 0);
    return held.map(({ name, summed }) => {
      const columns = summed.join(', ');
      return database.prepare(`SELECT ${columns} FROM ${name} ORDER BY ${columns}`).all();
    });
  } finally {
    database.close();
  }
}

function removeSidecars(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}
