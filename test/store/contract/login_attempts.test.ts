// Owns the contract of counting login attempts and of locking accounts.

import assert from 'node:assert/strict';

import { milliseconds } from '../../../src/lib/clock.ts';
import type { Digest } from '../../../src/lib/digest.ts';
import type { Store } from '../../../src/store/contract.ts';
import { at, club, inParallel, otherClub, sweepAll } from '../fixtures.ts';
import { eachStore } from './stores.ts';

const account = 'digest-of-username' as Digest;
const other = 'digest-of-another' as Digest;
/** Five in a minute, then locked for ten. */
const policy = { attempts: 5, window: milliseconds(60_000), lock: milliseconds(600_000) };

type Outcome = Parameters<Store['settleAttempt']>[2];

/** An attempt at that second; what the directory says of it, if it is asked. Returns `asked` or for how long not. */
async function attempt(
  store: Store,
  seconds: number,
  outcome?: Outcome,
  who = account,
): Promise<string> {
  const begun = await store.reserveAttempt(club, who, policy, at(seconds));
  if (!begun.allowed) return `not for ${begun.retryAfter}`;
  if (outcome) await store.settleAttempt(club, who, outcome, at(seconds));
  return 'asked';
}

/** As many attempts at that second that do not match. */
async function fail(store: Store, seconds: number, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    assert.equal(await attempt(store, seconds, 'no_match'), 'asked');
  }
}

eachStore('login attempts', (check) => {
  check('HOSTILE 18: of 50 at once the limit is asked, however slow', async (o) => {
    const begun = await inParallel(50, () => attempt(o.store, 0));
    assert.equal(begun.filter((result) => result === 'asked').length, 5);
    await inParallel(5, () => o.store.settleAttempt(club, account, 'no_match', at(1)));
    assert.equal(await attempt(o.store, 2), 'not for 598000');
  });

  check('HOSTILE 18: however many stores share the records, the limit is one', async (o) => {
    const stores = [o.store, await o.elsewhere()];
    // With none used before, and with one: what one store has counted, the other counts on from.
    for (const [who, before] of [
      [account, 0],
      [other, 1],
    ] as const) {
      for (let n = 0; n < before; n += 1) await attempt(o.store, 0, 'no_match', who);
      const begun = await inParallel(40, (n) => attempt(stores[n % 2]!, 1, undefined, who));
      assert.equal(begun.filter((result) => result === 'asked').length, 5 - before);
      for (const store of stores)
        assert.equal(await attempt(store, 2, undefined, who), 'not for 599000');
    }
    // What one gives back, the other may have.
    await stores[1]!.settleAttempt(club, account, 'undecided', at(3));
    const again = await inParallel(10, (n) => attempt(stores[n % 2]!, 4));
    assert.equal(again.filter((result) => result === 'asked').length, 1);
    await stores[0]!.settleAttempt(club, other, 'match', at(3));
    assert.equal(await attempt(stores[1]!, 4, 'no_match', other), 'asked');
  });

  check('the failures and the lock of an account can be read in every process', async (o) => {
    const reader = await o.elsewhere();
    const shown = (seconds: number) => reader.findAttempts(club, account, at(seconds));
    assert.deepEqual(await shown(0), { failures: 0 });
    await fail(o.store, 0, 2);
    assert.deepEqual(await shown(1), { failures: 2 });
    assert.deepEqual(await shown(60), { failures: 0 });
    await fail(o.store, 60, 5);
    await attempt(o.store, 61);
    assert.deepEqual(await shown(62), { failures: 5, lockedUntil: at(661) });
    assert.deepEqual(await shown(661), { failures: 0 });
    assert.deepEqual(await reader.findAttempts(otherClub, account, at(62)), { failures: 0 });
  });

  check('DESIGN: how many accounts are locked can be read, by programme', async (o) => {
    const reader = await o.elsewhere();
    const locked = (seconds: number, programme = club) =>
      reader.countLocked(programme, at(seconds));
    assert.equal(await locked(0), 0);
    await fail(o.store, 0, 5);
    assert.equal(await locked(1), 0);
    await attempt(o.store, 1);
    for (let n = 0; n < 6; n += 1) await attempt(o.store, 2, 'no_match', other);
    assert.deepEqual([await locked(3), await locked(3, otherClub)], [2, 0]);
    assert.equal(await o.store.settleAttempt(club, other, 'match', at(3)), true);
    assert.deepEqual([await locked(600.999), await locked(601)], [1, 0]);
  });

  check('HOSTILE 20: the lock is temporary, and nothing extends it', async ({ store }) => {
    await fail(store, 0, 5);
    assert.equal(await attempt(store, 10), 'not for 600000');
    await inParallel(100, (n) => attempt(store, 10 + n));
    assert.equal(await attempt(store, 609), 'not for 1000');
    // Afterwards everything begins anew.
    await fail(store, 610, 5);
    assert.equal(await attempt(store, 611), 'not for 600000');
  });

  check('HOSTILE 20: a window ends by itself', async ({ store }) => {
    await fail(store, 0, 5);
    await fail(store, 60, 5);
    assert.equal(await attempt(store, 119.999), 'not for 600000');
  });

  check('ASVS 6.3.1: a match clears the count', async ({ store }) => {
    await fail(store, 0, 4);
    assert.equal(await attempt(store, 1, 'match'), 'asked');
    await fail(store, 2, 5);
    assert.equal(await attempt(store, 3), 'not for 600000');
  });

  check('FAULTS 13: what a broken directory left undecided is given back', async ({ store }) => {
    await fail(store, 0, 4);
    for (let n = 0; n < 20; n += 1) {
      assert.equal(await attempt(store, 1, 'undecided'), 'asked');
    }
    assert.equal(await attempt(store, 2, 'no_match'), 'asked');
    assert.equal(await attempt(store, 3), 'not for 600000');
  });

  check('FAULTS 13: attempts that are under way in an outage lock nobody out', async (o) => {
    const { store } = o;
    await inParallel(6, () => attempt(store, 0));
    assert.equal(await attempt(store, 1), 'not for 599000');
    await inParallel(5, () => store.settleAttempt(club, account, 'undecided', at(2)));
    await fail(store, 3, 5);
    assert.equal(await attempt(store, 4), 'not for 600000');
    // One that comes back later gives nothing back of a window that is not its own.
    await store.settleAttempt(club, account, 'undecided', at(700));
    await fail(store, 701, 5);
    assert.equal(await attempt(store, 702), 'not for 600000');
  });

  check('C-2: an attempt counts for one account in one programme', async ({ store }) => {
    await fail(store, 0, 5);
    assert.equal(await attempt(store, 1), 'not for 600000');
    assert.equal(await attempt(store, 1, 'no_match', other), 'asked');
    const elsewhere = await store.reserveAttempt(otherClub, account, policy, at(1));
    assert.deepEqual(elsewhere, { allowed: true });
    assert.equal(await store.settleAttempt(otherClub, other, 'match', at(1)), false);
  });

  check('FAULTS 10: a lock from before a jump of the clock ends', async ({ store }) => {
    await fail(store, 100_000, 5);
    assert.equal(await attempt(store, 100_000), 'not for 600000');
    assert.equal(await attempt(store, 0), 'not for 600000');
    assert.equal(await attempt(store, 599), 'not for 1000');
    assert.equal(await attempt(store, 600), 'asked');
  });

  check(
    'HOSTILE 81: a lock or window that a reload shortens ends when a new one would',
    async ({ store }) => {
      const shorter = { ...policy, window: milliseconds(10_000), lock: milliseconds(60_000) };
      const shortened = (seconds: number, name = account) =>
        store.reserveAttempt(club, name, shorter, at(seconds));
      const refused = (retryAfter: number) => ({ allowed: false, retryAfter });
      await fail(store, 0, 5);
      assert.equal(await attempt(store, 0), 'not for 600000');
      assert.deepEqual(await shortened(10), refused(60_000));
      assert.deepEqual(await shortened(69), refused(1000));
      // A longer one again does not bring the former end back.
      assert.equal(await attempt(store, 69), 'not for 1000');
      assert.deepEqual(await shortened(70), { allowed: true });
      await inParallel(5, () => store.reserveAttempt(club, other, policy, at(0)));
      assert.deepEqual(await shortened(1, other), refused(60_000));
      // One that nobody asked about after the reload has ended as well: a window and a lock after it began.
      const third = 'third' as Digest;
      await inParallel(6, () => store.reserveAttempt(club, third, policy, at(0)));
      assert.deepEqual(await shortened(110, third), refused(10_000));
      assert.deepEqual(await shortened(120, third), { allowed: true });
    },
  );

  check('ASVS 6.1.1: an operator unlocks, from another process too', async (o) => {
    const { store } = o;
    const operator = await o.elsewhere();
    assert.equal(await operator.settleAttempt(club, account, 'match', at(0)), false);
    await fail(store, 0, 5);
    assert.equal(await attempt(store, 0), 'not for 600000');
    assert.equal(await operator.settleAttempt(club, account, 'match', at(0)), true);
    assert.equal(await operator.settleAttempt(club, account, 'match', at(0)), false);
    await fail(store, 1, 5);
    assert.equal(await attempt(store, 1), 'not for 600000');
    assert.equal(await store.settleAttempt(club, account, 'match', at(1)), true);
    await fail(store, 2, 5);
  });

  check('HOSTILE 18: a lock outlives a restart', async (o) => {
    await fail(o.store, 0, 5);
    assert.equal(await attempt(o.store, 0), 'not for 600000');
    assert.equal(await attempt(await o.reopened(), 1), 'not for 599000');
  });

  check('DESIGN: a window or lock that is over is forgotten', async ({ store }) => {
    await fail(store, 0, 5);
    assert.equal(await attempt(store, 10), 'not for 600000');
    await inParallel(20, (n) => attempt(store, 10, 'no_match', `account ${n}` as Digest));
    assert.equal(await sweepAll(store, at(69.999), 7), 0);
    assert.equal(await sweepAll(store, at(70), 7), 20);
    assert.equal(await attempt(store, 609.999), 'not for 1');
    assert.equal(await sweepAll(store, at(610), 7), 1);
    assert.equal(await store.settleAttempt(club, account, 'match', at(610)), false);
  });
});
