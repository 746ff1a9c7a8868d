// Owns a second process that shares a store file with a test; process.test.ts starts it.

import { writeSync } from 'node:fs';

import { milliseconds } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import type { ClientId } from '../../src/oauth/client.ts';
import type { Store } from '../../src/store/contract.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { aClient, at, club, inParallel, key, loginNamed, partner } from './fixtures.ts';
import { refresh } from './login.ts';

/** What a process may be asked to do, at once with another or until it is killed. */
export type Task = 'open' | 'make' | 'spend' | 'refresh' | 'guess' | 'write';

const [path = '', name = '', ...rest] = process.argv.slice(2);
/** How many files, codes or logins two processes fight over, one after another. */
const rounds = Number(rest[0]);
let store: Store | undefined;

process.on('message', (task: Task) => {
  // A failure goes back as its text, which no test takes for a result.
  void perform(task)
    .catch(String)
    .then((result) => process.send?.(result));
});
process.send?.('ready');

async function perform(task: Task): Promise<unknown> {
  if (task === 'make') return makeFiles();
  store ??= openFileStore({ path, environment: 'staging' });
  if (task === 'spend') return spend(store);
  if (task === 'refresh') return refreshAll(store);
  if (task === 'guess') return guess(store);
  if (task === 'write') return inParallel(8, (lane) => writeForever(lane));
  return 'opened';
}

/** Makes file after file, or finds it made, and adds a client named after this process. */
async function makeFiles(): Promise<unknown> {
  for (let round = 0; round < rounds; round += 1) {
    const file = openFileStore({ path: `${path}.${round}`, environment: 'staging' });
    await file.add('client', [aClient({ id: name as ClientId })]);
    await file.close();
  }
  return 'made';
}

/** Tries each code five times at once. */
async function spend(shared: Store): Promise<unknown> {
  const results: unknown[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const tries = inParallel(5, (n) => {
      const bought = loginNamed(`${name} ${round} ${n}`);
      return shared.spendCode(club, partner, key(`code ${round}`), bought, at(1));
    });
    results.push(await tries);
  }
  return results;
}

/** Presents each login's first refresh token five times at once. */
async function refreshAll(shared: Store): Promise<unknown> {
  const results: unknown[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const held = loginNamed(`login ${round}`);
    results.push(await inParallel(5, (n) => refresh(shared, held, `${name} ${round} ${n}`)));
  }
  return results;
}

/** Begins five attempts at each account at once, where it has five. */
async function guess(shared: Store): Promise<unknown> {
  const policy = { attempts: 5, window: milliseconds(60_000), lock: milliseconds(60_000) };
  const results: unknown[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const account = `account ${round}` as Digest;
    results.push(await inParallel(5, () => shared.reserveAttempt(club, account, policy, at(1))));
  }
  return results;
}

/** Begins logins and tells each one's name when, and only when, the store has answered. */
async function writeForever(lane: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const login = `${name} ${lane} ${n}`;
    await store?.startLogin(loginNamed(login));
    writeSync(1, `${login}\n`);
  }
}
