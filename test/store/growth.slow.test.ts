// Owns the test that a store file stops growing under traffic that does not.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import type { LoginState } from '../../src/oauth/grant.ts';
import type { NewLogin } from '../../src/store/grants.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { scratchFile } from './file_directory.ts';
import { aCode, aLogin, at, club, inParallel, key, partner, placeAt, tally } from './fixtures.ts';
import { findLogin, refresh, type Refreshed } from './login.ts';

const hour = 3600;
/** Logins of each hour of a day: a quiet night, a busy evening. */
const pattern = [
  5, 2, 1, 1, 1, 2, 5, 10, 15, 20, 20, 20, 20, 20, 20, 20, 20, 25, 35, 45, 45, 30, 20, 10,
];
/** Days a login may last; a refresh token lasts one. */
const loginDays = 3;
const days = 8;

/** Two attempts a quarter of an hour, then a lock of one. */
const policy = { attempts: 2, window: milliseconds(900_000), lock: milliseconds(900_000) };

/** The `n`-th login of second `seconds`, whose code is spent a second later; another code is left. */
function loginOf(seconds: number, n: number): NewLogin {
  const time = (after: number): Instant => at(seconds + after);
  const forgetAt = time(1 + 24 * hour);
  const endsAt = time(loginDays * 24 * hour);
  return aLogin({ place: placeAt(seconds, n), answeredAt: time(1), forgetAt, endsAt });
}

/** A login, its refreshes, a token that is revoked, and a stranger's guesses. */
async function logIn(store: FileStore, seconds: number, n: number): Promise<void> {
  const name = `${seconds} ${n}`;
  const time = (after: number): Instant => at(seconds + after);
  const stranger = `stranger ${name}` as Digest;
  for (let guess = 0; guess < 3; guess += 1) {
    await store.reserveAttempt(club, stranger, policy, time(guess));
  }
  const member = `member ${name}` as Digest;
  await store.reserveAttempt(club, member, policy, time(0));
  await store.settleAttempt(club, member, 'no_match', time(0));
  const issued = { issuedAt: time(0), expiresAt: time(120), forgetAt: time(hour) };
  await store.issueCode(aCode({ key: key(name), transaction: name, ...issued }));
  await store.issueCode(
    aCode({ key: key(`left ${name}`), transaction: `left ${name}`, ...issued }),
  );
  const login = loginOf(seconds, n);
  await store.spendCode(club, partner, key(name), login, time(1));
  let held: NewLogin | LoginState = login;
  for (const after of [2, 12 * hour]) {
    const { outcome, state }: Refreshed = await refresh(store, held, `${after}`, time(after));
    assert.equal(outcome, 'rotate');
    held = state!;
  }
  await store.revoke(club, { tokenId: name, expiresAt: time(1800) }, time(2));
}

/** Tables whose rows have an end. */
const ended = [
  'code',
  'known_code',
  'finished_login',
  'login',
  'revoked_token',
  'login_attempt',
] as const;

/** What is not there cannot be seen to go. */
function expectSome(counts: Readonly<Record<string, number>>): void {
  for (const table of ended) assert.ok((counts[table] ?? 0) > 0, table);
}

test('DESIGN: day after day of the same traffic, the file stops growing', async (t) => {
  const { path, remove } = scratchFile();
  t.after(remove);
  const store = openFileStore({ path, environment: 'staging', now: at(0) });
  const sizes: number[] = [];
  const rows: number[] = [];
  for (let day = 0; day < days; day += 1) {
    for (const [n, logins] of pattern.entries()) {
      const seconds = (day * 24 + n) * hour;
      await inParallel(logins, (login) => logIn(store, seconds, login));
      if (day === 0 && n > 0) expectSome((await verifyFile(path)).counts);
      // A server's housekeeping sweeps every second, and on at once while there is more.
      for (let calls = 0; calls < 10; calls += 1) await store.sweep(at(seconds + hour), 500);
    }
    const { counts } = await verifyFile(path);
    sizes.push(statSync(path).size);
    rows.push(Object.values(counts).reduce((sum, count) => sum + count, 0));
    // Nothing live was purged: a login of the day's last hour.
    assert.equal((await findLogin(store, loginOf((day * 24 + 23) * hour, 9)))?.generation, 3);
  }
  t.diagnostic(`bytes ${sizes.join(' ')}; rows ${rows.join(' ')}`);
  const grown = sizes.slice(loginDays + 1);
  assert.ok(Math.max(...grown) <= grown[0]! * 1.05, 'bytes');
  assert.ok(Math.max(...rows.slice(loginDays + 1)) <= rows[loginDays + 1]! * 1.05, 'rows');
  // Once nobody comes any more, nothing is left of what has an end.
  const end = at((days + loginDays + 1) * 24 * hour);
  for (let calls = 0; calls < 60; calls += 1) await store.sweep(end, 500);
  for (const table of ended) assert.equal((await verifyFile(path)).counts[table], 0, table);
  await store.close();
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

test('an exchange frees the pages of its code, and a thousand refreshes add none', async (t) => {
  const { path, remove } = scratchFile();
  t.after(remove);
  const store = openFileStore({ path, environment: 'staging', now: at(0) });
  const nth = (n: number): NewLogin => aLogin({ place: placeAt(0, n) });
  await inParallel(500, (n) => store.issueCode(aCode({ key: key(`c${n}`), transaction: `t${n}` })));
  const codes = pagesOf(path, 'code');
  assert.ok(codes > 20, `${codes} pages`);
  await inParallel(500, (n) => store.spendCode(club, partner, key(`c${n}`), nth(n), at(1)));
  assert.equal(pagesOf(path, 'code'), 1);
  const logins = pagesOf(path, 'login');
  assert.ok(logins > 20, `${logins} pages`);
  let held: NewLogin | LoginState = nth(0);
  for (let n = 0; n < 1000; n += 1) held = (await refresh(store, held, `${n}`)).state!;
  assert.equal(held.generation, 1001);
  const all = await inParallel(499, (n) => refresh(store, nth(n + 1), `last of ${n}`));
  assert.deepEqual(tally(all), { rotate: 499 });
  assert.equal(pagesOf(path, 'login'), logins);
  await store.close();
  assert.equal((await verifyFile(path)).counts['login'], 500);
});
