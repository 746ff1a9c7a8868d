// Owns the contract of signing keys, throttle counters, recorded time, the key check and node numbers.

import assert from 'node:assert/strict';

import { Unavailable } from '../../../src/oauth/failure.ts';
import type { WindowCounter } from '../../../src/store/counters.ts';
import {
  addSigningKey,
  aSigningKey,
  at,
  club,
  inParallel,
  otherClub,
  otherPartner,
  partner,
} from '../fixtures.ts';
import { eachStore } from './stores.ts';

const yes = (): boolean => true;
const no = (): boolean => false;

const facts = { name: 'machine:7', version: '1', programmes: {}, settings: {} };

eachStore('signing keys', (check) => {
  check('FAULTS 24: of changes at once each sees what those before it did', async (o) => {
    const stores = [o.store, await o.elsewhere()] as const;
    const found = await inParallel(10, (n) =>
      stores[n % 2 === 0 ? 0 : 1].changeAll('signing_key', { programme: club }, (keys) =>
        keys.length > 1 ? keys : [...keys, aSigningKey(`kid ${n}`)],
      ),
    );
    const standing = await o.store.list('signing_key', club);
    assert.equal(standing.length, 2);
    for (const keys of found) assert.deepEqual(keys, standing.slice(0, keys.length));
  });

  check('FAULTS 24: keys are added, told to sign, retired and removed', async (o) => {
    const { store } = o;
    const first = aSigningKey('first', { createdAt: at(1), signsFrom: at(1) });
    const second = aSigningKey('second', { createdAt: at(2) });
    await addSigningKey(store, second);
    const told = { ...second, signsFrom: at(9) };
    const retired = { ...first, retiresAt: at(9) };
    const changed = await store.changeAll('signing_key', { programme: club }, () => [
      told,
      retired,
    ]);
    assert.deepEqual(changed, [retired, told]);
    const later = await o.reopened();
    assert.deepEqual(await later.list('signing_key', club), [retired, told]);
    assert.deepEqual(await later.changeAll('signing_key', { programme: otherClub }, () => []), []);
    assert.deepEqual(
      await later.changeAll('signing_key', { programme: club }, (keys) => keys.slice(1)),
      [told],
    );
  });
});

eachStore('recorded time', (check) => {
  check('FAULTS 10: time is recorded, never back, and outlasts a restart', async (o) => {
    const { store } = o;
    assert.equal((await store.time()).recorded, undefined);
    await store.time(at(100));
    assert.equal((await store.time()).recorded, at(100));
    await store.time(at(50));
    assert.equal((await store.time()).recorded, at(100));
    await store.time(at(130));
    assert.equal((await store.time()).recorded, at(130));
    const later = await o.reopened();
    await later.time(at(99));
    assert.equal((await later.time()).recorded, at(130));
  });
});

eachStore('throttle', (check) => {
  const throttle = { limit: 3, window: 60_000 };

  check('G-18: a window lets its limit pass, then says when it ends', async (o) => {
    const count = (seconds: number) =>
      o.store.count('token_request', club, partner, throttle, at(seconds));
    assert.deepEqual(await count(0), { allowed: true, remaining: 2, retryAfter: 60_000 });
    assert.deepEqual(await count(10), { allowed: true, remaining: 1, retryAfter: 50_000 });
    assert.deepEqual(await count(59.999), { allowed: true, remaining: 0, retryAfter: 1 });
    assert.deepEqual(await count(59.999), { allowed: false, remaining: 0, retryAfter: 1 });
    assert.deepEqual(await count(60), { allowed: true, remaining: 2, retryAfter: 60_000 });
  });

  check('G-18: each client of each programme has a counter', async ({ store }) => {
    const results = await inParallel(10, () =>
      store.count('token_request', club, partner, throttle, at(0)),
    );
    assert.equal(results.filter(({ allowed }) => allowed).length, 3);
    const others = await Promise.all([
      store.count('token_request', club, otherPartner, throttle, at(0)),
      store.count('token_request', otherClub, partner, throttle, at(0)),
    ]);
    assert.ok(others.every(({ allowed }) => allowed));
  });

  check(
    'HOSTILE 42, 80: every counter counts for itself, and takes back what was given',
    async ({ store }) => {
      const once = { limit: 1, window: 1000 };
      const count = (counter: WindowCounter) => store.count(counter, club, 'key', once, at(0));
      const allowed = { allowed: true, remaining: 0, retryAfter: 1000 };
      const refused = { ...allowed, allowed: false };
      for (const counter of ['token_request', 'failed_login', 'failed_secret'] as const) {
        assert.deepEqual(await count(counter), allowed);
        assert.deepEqual(await count(counter), refused);
        assert.deepEqual(await count(counter), refused);
        await store.count(counter, club, 'key', once, at(0), -1);
        assert.deepEqual(await count(counter), allowed);
        assert.deepEqual(await count(counter), refused);
      }
    },
  );

  check(
    'HOSTILE 80: of many at once the limit is allowed, and what they give back',
    async ({ store }) => {
      const limit = { limit: 10, window: 60_000 };
      const ask = () => store.count('failed_login', club, 'key', limit, at(0));
      const allowed = async (): Promise<number> =>
        (await inParallel(100, ask)).filter((one) => one.allowed).length;
      assert.equal(await allowed(), 10);
      await inParallel(4, () => store.count('failed_login', club, 'key', limit, at(0), -1));
      assert.equal(await allowed(), 4);
      assert.equal(await allowed(), 0);
      // What was counted in a window that has ended makes no room in the next, nor in one that nobody has begun.
      const next = async (count: number): Promise<number> => {
        const late = () => store.count('failed_login', club, 'key', limit, at(61));
        return (await inParallel(count, late)).filter((one) => one.allowed).length;
      };
      assert.equal(await next(6), 6);
      await inParallel(6, () => store.count('failed_login', club, 'key', limit, at(59), -1));
      await store.count('failed_login', club, 'another', limit, at(59), -1);
      assert.equal(await next(12), 4);
      const other = () => store.count('failed_login', club, 'another', limit, at(61));
      assert.equal((await inParallel(20, other)).filter((one) => one.allowed).length, 10);
    },
  );

  check(
    'HOSTILE 81: a window that a reload shortens keeps its count, and has the new length from its start',
    async ({ store }) => {
      const count = (window: number, seconds: number, key = 'key') =>
        store.count('failed_login', club, key, { limit: 1, window }, at(seconds));
      for (const key of ['key', 'other', 'refused before']) {
        assert.equal((await count(600_000, 0, key)).allowed, true);
      }
      const refused = { allowed: false, remaining: 0, retryAfter: 50_000 };
      assert.deepEqual(await count(60_000, 10), refused);
      // A longer one again does not bring the former end back.
      assert.deepEqual(await count(600_000, 59), { ...refused, retryAfter: 1000 });
      assert.equal((await count(60_000, 60)).allowed, true);
      assert.equal((await count(60_000, 300, 'other')).allowed, true);
      assert.equal((await count(600_000, 560, 'refused before')).allowed, false);
      assert.equal((await count(60_000, 560.5, 'refused before')).allowed, true);
    },
  );

  check('G-18: a limit of none lets nothing pass', async ({ store }) => {
    const none = { limit: 0, window: 1000 };
    const outcome = await store.count('token_request', club, partner, none, at(0));
    assert.deepEqual(outcome, { allowed: false, remaining: 0, retryAfter: 1000 });
  });
});

eachStore('key check', (check) => {
  check('HOSTILE 56: the first value stays, for every process', async (o) => {
    const other = await o.elsewhere();
    const kept = await inParallel(10, (n) =>
      (n % 2 === 0 ? o.store : other).ensureKeyCheck(`value ${n}`, yes),
    );
    assert.equal(new Set(kept).size, 1);
    await addSigningKey(o.store, aSigningKey('kid'));
    assert.equal(await (await o.reopened()).ensureKeyCheck('late', no), kept[0]);
  });
});

eachStore('node numbers', (check) => {
  check('FAULTS 24: servers know what the others of their store serve', async (o) => {
    const other = await o.elsewhere();
    assert.deepEqual(await o.store.nodes(at(0)), []);
    await o.store.leaseNode(at(0), 'command');
    await o.store.leaseNode(at(0), 'one', facts);
    const served = { [club]: { digest: 'a', signs: 'ES256' as const } };
    await other.leaseNode(at(0), 'other', { ...facts, programmes: served });
    const found = [
      { node: 1, holder: 'one', facts },
      { node: 2, holder: 'other', facts: { ...facts, programmes: served } },
    ];
    for (const store of [o.store, other]) assert.deepEqual(await store.nodes(at(0)), found);
    // A change counts from the next call on; who has ended is told of until its lease has.
    const changed = { ...facts, settings: { public_url: 'https://new.example' } };
    await o.store.leaseNode(at(1), 'one', changed);
    assert.deepEqual(await other.nodes(at(1)), [
      { node: 1, holder: 'one', facts: changed },
      found[1],
    ]);
    await o.store.leaseNode(at(100), 'one');
    assert.deepEqual(await other.nodes(at(119)), [found[1]]);
    assert.deepEqual(await other.nodes(at(120)), []);
  });

  check('P-7: no two holders have one, and each keeps its own', async (o) => {
    const stores = [o.store, await o.elsewhere()] as const;
    const lease = (n: number, seconds: number): Promise<number> =>
      stores[n % 2 === 0 ? 0 : 1].leaseNode(at(seconds), `holder ${n}`);
    const nodes = await inParallel(8, (n) => lease(n, 0));
    assert.deepEqual(
      nodes.toSorted((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
    for (const seconds of [1, 59, 61, 100, 160]) {
      assert.deepEqual(await inParallel(8, (n) => lease(n, seconds)), nodes);
    }
  });

  check('P-7: nor have two whose clocks are apart by what counts as one clock', async (o) => {
    const stores = [o.store, await o.elsewhere()] as const;
    const lease = (n: number): Promise<number> =>
      stores[n % 2 === 0 ? 0 : 1].leaseNode(at(60 - 6 * n), `holder ${n}`);
    for (const round of [0, 1]) {
      for (let n = 0; n <= 10; n += 1) assert.equal(await lease(n), n, `round ${round}`);
    }
  });

  check('P-7: a number whose holder has ended is given out again', async ({ store }) => {
    assert.equal(await store.leaseNode(at(0), 'first'), 0);
    assert.equal(await store.leaseNode(at(0), 'second'), 1);
    assert.equal(await store.leaseNode(at(100), 'second'), 1);
    assert.equal(await store.leaseNode(at(119.999), 'third'), 2);
    assert.equal(await store.leaseNode(at(120), 'fourth'), 0);
    // Whoever slept so long takes another.
    assert.equal(await store.leaseNode(at(121), 'first'), 3);
    assert.equal(await store.leaseNode(at(122), 'first'), 3);
  });

  check('FAULTS 10: a lease from before a jump of the clock ends', async ({ store }) => {
    assert.equal(await store.leaseNode(at(100_000), 'first'), 0);
    assert.equal(await store.leaseNode(at(0), 'second'), 0);
  });

  check('G-22: the numbers are 0 to 1023, and then there is none', async ({ store }) => {
    const nodes: number[] = [];
    // As many at once as one connection answers in time on a busy machine.
    for (let first = 0; first < 1024; first += 64) {
      nodes.push(...(await inParallel(64, (n) => store.leaseNode(at(0), `holder ${first + n}`))));
    }
    assert.deepEqual(new Set(nodes).size, 1024);
    assert.deepEqual([Math.min(...nodes), Math.max(...nodes)], [0, 1023]);
    await assert.rejects(store.leaseNode(at(1), 'one more'), Unavailable);
    assert.equal(await store.leaseNode(at(120), 'one more'), 0);
  });
});
