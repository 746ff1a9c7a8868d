// Owns the test that a store file stops growing under traffic that does not.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import { newFamilyId } from '../../src/oauth/token_key.ts';
import { verifyStore } from '../../src/store/sqlite/care/examine.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { scratchFile } from './file_directory.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aPartnerToken,
  aRefreshToken,
  at,
  club,
  familyId,
  inParallel,
  key,
  partner,
} from './fixtures.ts';
import { findRefresh, rotate } from './login.ts';

const hour = 3600;
/** Logins of each hour of a day: a quiet night, a busy evening. */
const pattern = [
  5, 2, 1, 1, 1, 2, 5, 10, 15, 20, 20, 20, 20, 20, 20, 20, 20, 25, 35, 45, 45, 30, 20, 10,
];
/** Days a login lasts; a refresh token lasts one. */
const familyDays = 2;
const days = 8;

/** Two attempts a quarter of an hour, then a lock of one. */
const policy = { attempts: 2, window: milliseconds(900_000), lock: milliseconds(900_000) };

/** A login, its refreshes over the next hours, a partner's own token, and a stranger's guesses. */
async function logIn(store: FileStore, name: string, seconds: number): Promise<void> {
  const time = (after: number): Instant => at(seconds + after);
  const family = aFamily({
    id: familyId(name),
    createdAt: time(1),
    endsAt: time(familyDays * 24 * hour),
  });
  const stranger = `stranger ${name}` as Digest;
  for (let guess = 0; guess < 3; guess += 1) {
    await store.reserveAttempt(club, stranger, policy, time(guess));
  }
  const member = `member ${name}` as Digest;
  await store.reserveAttempt(club, member, policy, time(0));
  await store.settleAttempt(club, member, 'no_match', time(0));
  const issued = { issuedAt: time(0), expiresAt: time(120), forgetAt: time(hour) };
  await store.issueCode(aCode({ key: key(`code ${name}`), transaction: name, ...issued }));
  const access = (n: number) =>
    anAccessToken(`${name} access ${n}`, {
      family: family.id,
      issuedAt: time(n),
      expiresAt: time(n + 1800),
    });
  const refresh = (n: number) =>
    aRefreshToken(`${name} refresh ${n}`, { expiresAt: time(24 * hour) });
  const bought = { family, access: access(0), refresh: refresh(0) };
  await store.spendCode(club, partner, key(`code ${name}`), bought, time(1));
  for (let n = 1; n <= 2; n += 1) {
    assert.deepEqual(
      await rotate(store, `${name} refresh ${n - 1}`, '', 1, {
        successor: refresh(n),
        access: access(n),
        keptAnswer: 'x'.repeat(400),
        retryUntil: time(n + 10),
        now: time(n),
      }),
      { outcome: 'rotated' },
    );
  }
  const own = { issuedAt: time(0), expiresAt: time(1800) };
  await store.saveAccessToken(aPartnerToken(`${name} own`, own));
  await store.revokeToken(club, { tokenId: name, expiresAt: time(1800) }, time(2));
}

/** Tables whose rows have an end. */
const ended = [
  'code',
  'family',
  'refresh_token',
  'access_token',
  'revoked_token',
  'login_attempt',
] as const;

/** What is not there cannot be seen to go. */
function expectSome(counts: Readonly<Record<string, number>>): void {
  for (const table of ended) assert.ok((counts[table] ?? 0) > 0, table);
}

test('DESIGN: day after day of the same traffic, the file stops growing', async (t) => {
  const { path, remove } = scratchFile();
  try {
    const store = openFileStore({ path, environment: 'staging', now: at(0) });
    const sizes: number[] = [];
    const rows: number[] = [];
    for (let day = 0; day < days; day += 1) {
      for (const [n, logins] of pattern.entries()) {
        const seconds = (day * 24 + n) * hour;
        await inParallel(logins, (login) => logIn(store, `${day} ${n} ${login}`, seconds));
        if (day === 0) expectSome(verifyStore(path).counts);
        // A server's housekeeping sweeps every second, and on at once while there is more.
        for (let calls = 0; calls < 10; calls += 1) await store.sweep(at(seconds + hour), 500);
      }
      const { counts } = verifyStore(path);
      sizes.push(statSync(path).size);
      rows.push(Object.values(counts).reduce((sum, count) => sum + count, 0));
      // Nothing live was purged: the day's last login can still be refreshed.
      assert.ok(await findRefresh(store, `${day} 23 9 refresh 2`, (day * 24 + 24) * hour));
    }
    t.diagnostic(`bytes ${sizes.join(' ')}; rows ${rows.join(' ')}`);
    const grown = sizes.slice(familyDays + 1);
    assert.ok(Math.max(...grown) <= grown[0]! * 1.05, 'bytes');
    assert.ok(Math.max(...rows.slice(familyDays + 1)) <= rows[familyDays + 1]! * 1.05, 'rows');
    // Once nobody comes any more, nothing is left of what has an end.
    const end = at((days + familyDays + 1) * 24 * hour);
    for (let calls = 0; calls < 60; calls += 1) await store.sweep(end, 500);
    for (const table of ended) assert.equal(verifyStore(path).counts[table], 0, table);
    await store.close();
  } finally {
    remove();
  }
});

/** Pages of a table, as they are in the file. */
function pagesOf(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const count = database.prepare('SELECT count(*) AS pages FROM dbstat WHERE name = ?');
    return Number(count.get(table)?.['pages']);
  } finally {
    database.close();
  }
}

test('a spent code takes no more room than an unspent one: no page is split by an exchange', async (t) => {
  const { path, remove } = scratchFile();
  t.after(remove);
  const store = openFileStore({ path, environment: 'staging', now: at(0) });
  await inParallel(500, (n) => store.issueCode(aCode({ key: key(`c${n}`), transaction: `t${n}` })));
  const before = pagesOf(path, 'code');
  assert.ok(before > 20, `${before} pages`);
  await inParallel(500, (n) => {
    const family = aFamily({ id: newFamilyId(at(1)), createdAt: at(1) });
    return store.spendCode(club, partner, key(`c${n}`), { family }, at(1));
  });
  assert.equal(pagesOf(path, 'code'), before);
  await store.close();
  assert.deepEqual(verifyStore(path).counts['code'], 500);
});
