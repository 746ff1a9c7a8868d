// Tests of token keys where times change: lifetimes in programme files, and a clock that was wrong.

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { type Instant, milliseconds, type Milliseconds } from '../../src/lib/clock.ts';
import { renewTokenKey, retireKeys, rotateKeys } from '../../src/server/keys/changes.ts';
import type { Store } from '../../src/store/contract.ts';
import { openFileStore, openMemoryStore } from '../../src/store/sqlite/store.ts';
import { shortestWait } from '../../src/token/key_rules.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { openTokenKeys, type TokenKeys } from '../../src/token/token_keys.ts';
import { withFile } from '../store/file_directory.ts';
import { at, club } from '../store/fixtures.ts';

const keyring = createKeyring(new Uint8Array(32).fill(7));
const tokenLife = 600;
const lasting = (seconds: number): Milliseconds => milliseconds(seconds * 1000);
const line = { id: club, rules: { kind: 'token_key', longestToken: lasting(tokenLife) } } as const;
const minute = 60;
const day = 86_400;

let store: Store;
beforeEach(() => {
  store = openMemoryStore();
});

/** A server that opens its keys at a second of the clock; its tokens live for `life` seconds. */
function server(second = 0, life = tokenLife): Promise<TokenKeys> {
  const clock = { now: (): Instant => at(second) };
  const options = { programme: club, records: store, keyring, environment: 'staging', clock };
  return openTokenKeys({ ...options, rules: { ...line.rules, longestToken: lasting(life) } });
}

const rotate = (second: number, wait: number = shortestWait): ReturnType<typeof rotateKeys> =>
  rotateKeys({ store, keyring }, line, { wait: milliseconds(wait) }, at(second));

const lives = async (): Promise<readonly number[]> =>
  (await store.list('token_key', club)).map(({ longestToken }) => longestToken);

describe('a token lives as long as it was promised', () => {
  const end = (begin: number, life: number): Instant => at(begin + life);
  const begin = 10 * minute;

  test('by a file of longer lifetimes, before the rotation', async () => {
    await server(0, day);
    await server(1);
    await rotate(2, 0);
    const keys = await server(3);
    assert.equal(keys.latestEnd(0), end(7, day));
    assert.deepEqual((await retireKeys(store, line, (end(7, day) - 1) as Instant)).remove, []);
    assert.equal((await retireKeys(store, line, end(7, day))).remove.length, 1);
  });

  test('by a file that was changed between the rotation and the beginning of the next key', async () => {
    await server();
    await rotate(0);
    const before = await server(begin - 1, day);
    assert.equal(before.latestEnd(0), end(begin, day));
    assert.deepEqual(await lives(), [lasting(day), lasting(day)]);
    // Neither a shorter lifetime nor one that the former key never had changes anything of it.
    await server(begin - 1, minute);
    await server(begin, 2 * day);
    assert.deepEqual(await lives(), [lasting(day), lasting(2 * day)]);
    assert.equal((await server(begin)).latestEnd(0), end(begin, day));
  });

  test('by a server that runs while commands read another file', async () => {
    const keys = await server(0, day);
    await rotate(0);
    await keys.reloadIfMoved();
    assert.equal((await lives())[1], lasting(day));
    const listed = await store.list('token_key', club);
    await keys.reloadIfMoved();
    assert.equal(await store.list('token_key', club), listed);
  });
});

/** What the server's housekeeping does at a second. */
async function renew(tokenKeys: TokenKeys, second: number): Promise<void> {
  const programme = {
    id: club,
    access: { isSigned: false, lifetime: lasting(tokenLife), algorithm: 'ES256' },
    refresh: { format: 'opaque', longest: lasting(0), grace: lasting(0) },
  } as const;
  await tokenKeys.reloadIfMoved();
  await renewTokenKey({ programme, tokenKeys, store, keyring, clock: { now: () => at(second) } });
}

withFile('FAULTS 28: a clock a year ahead, set back, does not stop rotation', async (path) => {
  store = openFileStore({ path, environment: 'staging', now: at(0) });
  const begins = async (): Promise<readonly Instant[]> =>
    (await store.list('token_key', club)).map(({ signsFrom }) => signsFrom);
  const year = 365 * day;
  const keys = await server();
  await renew(keys, year);
  assert.deepEqual(await begins(), [at(-minute), at(year + 10 * minute)]);
  await store.time(at(year + minute));
  await store.acceptTime(at(day));
  assert.deepEqual(await begins(), [at(-minute), at(day + 10 * minute)]);
  // Once more, before it begins: it begins after what was left of the wait.
  await store.time(at(day + minute));
  await store.acceptTime(at(100));
  const [first, next = at(0)] = await begins();
  assert.equal(first, at(-minute));
  // The machine's uptime, by which the store's time goes on, passes meanwhile: milliseconds.
  const passed = at(100 + 9 * minute) - next;
  assert.ok(passed >= 0 && passed < 1000, `${passed} ms`);
  const begin = 100 + 9 * minute - passed / 1000;
  await keys.reloadIfMoved();
  assert.deepEqual([keys.signer(at(begin - 1)).number, keys.signer(at(begin)).number], [0, 1]);
  await renew(keys, begin + 30 * day - 1);
  assert.equal((await begins()).length, 2);
  await renew(keys, begin + 30 * day);
  assert.equal((await begins()).length, 3);
  await store.close();
});
