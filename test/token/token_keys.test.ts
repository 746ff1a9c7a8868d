// Tests of token keys in running servers, on a set clock: which key makes tokens, which vouches for
// them, and how a server hears of the next.

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import type { TokenKeyRecord } from '../../src/oauth/signing_key.ts';
import { removeKey, renewTokenKey, retireKeys, rotateKeys } from '../../src/server/keys/changes.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { shortestWait } from '../../src/token/key_rules.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import type { SealingKey } from '../../src/token/sealed/sealing_key.ts';
import {
  freeNumber,
  newTokenKey,
  openTokenKeys,
  type TokenKeys,
} from '../../src/token/token_keys.ts';
import { at, club, otherClub } from '../store/fixtures.ts';

const keyring = createKeyring(new Uint8Array(32).fill(7));
const tokenLife = 600;
const line = {
  id: club,
  rules: { kind: 'token_key', longestToken: milliseconds(tokenLife * 1000) },
} as const;
const minute = 60;
const day = 86_400;

let store: Store;
beforeEach(() => {
  store = openMemoryStore();
});

/** A server that opens its keys at a second of the clock. */
function server(second = 0, programme: ProgrammeId = club): Promise<TokenKeys> {
  return openTokenKeys({ ...optionsAt(second), programme });
}

function optionsAt(second: number): Parameters<typeof openTokenKeys>[0] {
  const clock = { now: (): Instant => at(second) };
  const { rules } = line;
  return { programme: club, records: store, keyring, environment: 'staging', clock, rules };
}

function made(number: number, second: number): TokenKeyRecord {
  const { longestToken } = line.rules;
  return newTokenKey({ programme: club, number, longestToken }, keyring, at(second));
}

async function recordAt(index: number): Promise<TokenKeyRecord> {
  const record = (await store.list('token_key', club))[index];
  assert.ok(record);
  return record;
}

const rotate = (second: number, wait: number = shortestWait): ReturnType<typeof rotateKeys> =>
  rotateKeys({ store, keyring }, line, { wait: milliseconds(wait) }, at(second));

const force = async (index: number, second: number): ReturnType<typeof removeKey> =>
  removeKey(store, line, await recordAt(index), at(second));

/** What a key makes of one message: equal for equal keys alone. */
function proof(key: SealingKey | undefined): string | undefined {
  return key?.next('nonce', 'presented');
}

describe('the life of a token key', () => {
  test('TOKENS 16: the first key makes tokens at once, also of a server whose clock is behind', async () => {
    const keys = await server(100);
    assert.equal(keys.signer(at(100)).number, 0);
    assert.equal(keys.signer(at(41)), keys.find(0));
    const times = [-365 * day, 39, 40, 100, 100 + 365 * day];
    assert.ok(times.every((second) => keys.vouches(0, at(second))));
    assert.deepEqual(
      [keys.find(1), keys.vouches(1, at(100)), keys.next(1)],
      [undefined, false, undefined],
    );
    assert.equal(keys.latestEnd(0), undefined);
  });

  test('TOKENS 16: ahead, signing, closed, retired: one key at any time, to the millisecond', async () => {
    const keys = await server();
    const first = keys.find(0);
    await rotate(0);
    await keys.reloadIfMoved();
    const begin = at(10 * minute);
    assert.deepEqual(
      [-1, 0, 1].map((ms) => keys.signer((begin + ms) as Instant).number),
      [0, 1, 1],
    );
    assert.deepEqual(
      [-1, 0, 1].map((ms) => [0, 1].map((one) => keys.vouches(one, (begin + ms) as Instant))),
      [
        [true, false],
        [false, true],
        [false, true],
      ],
    );
    const end = at(10 * minute + tokenLife);
    assert.deepEqual([keys.latestEnd(0), keys.latestEnd(1)], [end, undefined]);
    // What was opened under a key stays good while the key is the same object.
    assert.equal(keys.find(0), first);

    assert.deepEqual((await retireKeys(store, line, (end - 1) as Instant)).remove, []);
    assert.equal((await retireKeys(store, line, end)).remove.length, 1);
    await keys.reloadIfMoved();
    assert.deepEqual([keys.find(0), keys.next(0), keys.find(1)?.number], [undefined, undefined, 1]);
  });

  test('TOKENS 16: a number comes back once its key is gone, for another key', async () => {
    const keys = await server();
    const first = keys.find(0);
    const records = Array.from({ length: 255 }, (_, n) => made(n + 1, n));
    const free = (taken: readonly TokenKeyRecord[]): number | undefined => freeNumber(taken);
    assert.deepEqual([free([]), free(records.slice(0, 3)), free(records)], [0, 4, 0]);
    await store.changeAll('token_key', { programme: club }, (all) => [...all, ...records]);
    await assert.rejects(rotate(300, 0), /all numbers of token keys are in use/);

    await store.remove('token_key', club, '0', at(300));
    const { key } = await rotate(300, 0);
    assert.equal(key.kid, '0');
    await keys.reloadIfMoved();
    const again = keys.find(0);
    assert.ok(again);
    assert.notEqual(again, first);
    assert.notEqual(proof(again), proof(first));

    // The only key that is due: the first of the others began with it, and the next made tokens.
    const due = await rotate(1 + tokenLife, 0);
    assert.deepEqual([due.step, due.key.kid], ['add', '1']);
    assert.equal((await store.list('token_key', club)).length, 256);
  });

  test('8.3.9: an emergency gives servers five seconds, also where a key waits', async () => {
    await server();
    await rotate(0);
    for (const step of ['hasten', 'wait'] as const) {
      const rotated = await rotate(100, 0);
      assert.deepEqual([rotated.step, rotated.key.signsFrom], [step, at(105)]);
    }
    assert.equal((await server(100)).latestEnd(0), at(105 + tokenLife));
    const added = await rotate(110, 0);
    assert.deepEqual([added.step, added.key.kid, added.key.signsFrom], ['add', '2', at(115)]);
  });

  test('8.3.8: a key that is ended vouches for nothing, and goes on answering retries', async () => {
    const keys = await server();
    const next = keys.next(0);
    assert.deepEqual(await force(0, 1), { refusal: 'only_key' });
    await rotate(0, 0);
    assert.deepEqual(await force(0, 4), { refusal: 'signs_still' });
    assert.equal('refusal' in (await force(0, 5)), false);
    await keys.reloadIfMoved();
    assert.deepEqual(
      [keys.find(0), keys.vouches(0, at(1)), keys.next(0)],
      [undefined, false, next],
    );
    assert.equal(keys.signer(at(5)).number, 1);
    // Once more changes nothing, and its end does not come sooner.
    const before = await store.list('token_key', club);
    assert.equal('refusal' in (await force(0, 6)), false);
    assert.deepEqual(await store.list('token_key', club), before);
    assert.deepEqual((await retireKeys(store, line, at(5 + tokenLife))).remove, [before[0]]);
  });

  test('a key that has yet to make a token is removed by force, and the one before it goes on', async () => {
    const keys = await server();
    await rotate(0);
    assert.equal('refusal' in (await force(1, 10)), false);
    await keys.reloadIfMoved();
    assert.equal(keys.signer(at(day)).number, 0);
    assert.deepEqual([keys.vouches(0, at(day)), keys.latestEnd(0)], [true, undefined]);
  });

  test('8.3.8: a key that begins in a moment is not removed: some server may sign with it', async () => {
    await server();
    await rotate(0);
    const begin = 10 * minute;
    for (const second of [begin - 6, begin - 1]) {
      assert.deepEqual(await force(1, second), { refusal: 'signs_soon' });
    }
    assert.deepEqual(await force(1, begin), { refusal: 'signs' });
    assert.equal('refusal' in (await force(1, begin - 6.001)), false);
  });

  test('whatever the clock says, the key that makes a token vouches for it', async () => {
    await server();
    await rotate(0, 0);
    const keys = await server(10);
    const check = (...numbers: readonly number[]): void => {
      [-365 * day, -minute, 0, 4, 5, day].forEach((second, index) => {
        const { number } = keys.signer(at(second));
        assert.deepEqual([number, keys.vouches(number, at(second))], [numbers[index], true]);
      });
    };
    check(0, 0, 0, 0, 1, 1);
    await force(0, 10);
    await keys.reloadIfMoved();
    check(1, 1, 1, 1, 1, 1);
  });
});

describe('servers of one store', () => {
  test('TOKENS 16: two that start at once make one key', async () => {
    const [one, other] = await Promise.all([server(), server()]);
    assert.equal((await store.list('token_key', club)).length, 1);
    assert.equal(proof(one.find(0)), proof(other.find(0)));
  });

  test('8.3.10: reading anew happens when keys have changed, once for all that wait', async () => {
    let asked = 0;
    // A list that has not changed is the same one.
    const lists = new Set<unknown>();
    const real = store;
    store = {
      ...real,
      list: async (...call) => {
        asked += 1;
        const list = await real.list(...call);
        lists.add(list);
        return list;
      },
    };
    const keys = await server();
    lists.clear();
    asked = 0;
    await Promise.all([keys.reloadIfMoved(), keys.reloadIfMoved()]);
    await keys.reloadIfMoved();
    assert.deepEqual([asked, lists.size], [2, 1]);
    await rotateKeys({ store: real, keyring }, line, { wait: milliseconds(0) }, at(0));
    await Promise.all([keys.reloadIfMoved(), keys.reloadIfMoved(), keys.reloadIfMoved()]);
    assert.deepEqual([asked, lists.size, keys.find(1)?.number], [3, 2, 1]);
  });

  test('FAULTS 11: add one key after thirty days, and remove none', async () => {
    const second = 30 * day;
    const servers = await Promise.all([server(), server()]);
    const renewAt = (time: number): Promise<unknown> =>
      Promise.all(servers.map((tokenKeys) => renewTokenKey(serviceOf(tokenKeys, time))));
    const kids = async (): Promise<readonly string[]> =>
      (await store.list('token_key', club)).map(({ kid }) => kid);
    await renewAt(second - minute - 1);
    assert.deepEqual(await kids(), ['0']);
    await renewAt(second);
    assert.deepEqual(await kids(), ['0', '1']);
    assert.equal((await recordAt(1)).signsFrom, at(second + 10 * minute));
    for (const keys of servers) await keys.reloadIfMoved();
    await renewAt(second + 1);
    assert.deepEqual(await kids(), ['0', '1']);
    await renewAt(2 * second + 10 * minute);
    assert.deepEqual(await kids(), ['0', '1', '2']);
  });
});

/** The part of a service that the renewal of keys needs. */
function serviceOf(tokenKeys: TokenKeys, second: number): Parameters<typeof renewTokenKey>[0] {
  const programme = {
    id: club,
    access: { isSigned: false, lifetime: line.rules.longestToken, algorithm: 'ES256' },
    refresh: { format: 'opaque', longest: milliseconds(0), grace: milliseconds(0) },
  } as const;
  return { programme, tokenKeys, store, keyring, clock: { now: () => at(second) } };
}

describe('a sealed record', () => {
  test('of another master key is refused', async () => {
    await server();
    const other = createKeyring(new Uint8Array(32).fill(8));
    await assert.rejects(openTokenKeys({ ...optionsAt(0), keyring: other }), {
      message: `the token key 0 of ${club} was sealed under another master key`,
    });
  });

  test('is good in its own place alone: programme, number and time', async () => {
    const keys = await server();
    await server(0, otherClub);
    await rotate(0, 0);
    const own = (await recordAt(1)).sealedKey;
    const [foreign] = await store.list('token_key', otherClub);
    const former = made(1, -day).sealedKey;
    for (const sealedKey of [(await recordAt(0)).sealedKey, foreign?.sealedKey ?? '', former, '']) {
      await store.change('token_key', club, '1', (record) => ({ ...record, sealedKey }));
      await assert.rejects(server(), /token key 1 of .* another master key/);
      await assert.rejects(keys.reloadIfMoved(), /another master key/);
      // A server goes on with the keys that it has.
      assert.deepEqual([keys.signer(at(0)).number, keys.find(1)], [0, undefined]);
    }
    await store.change('token_key', club, '1', (record) => ({ ...record, sealedKey: own }));
    await keys.reloadIfMoved();
    assert.equal(keys.find(1)?.number, 1);
  });

  test('C-3: the same key is another in another environment and programme', async () => {
    const keys = await server();
    const live = await openTokenKeys({ ...optionsAt(0), environment: 'live' });
    assert.notEqual(proof(live.find(0)), proof(keys.find(0)));
  });
});
