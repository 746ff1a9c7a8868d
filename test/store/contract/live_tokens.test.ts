// Owns the contract of the one live token of an owner: whose it is after any number of calls, and that what
// it has ended stays ended.

import assert from 'node:assert/strict';

import { instant, type Instant, milliseconds } from '../../../src/lib/clock.ts';
import { digest } from '../../../src/lib/digest.ts';
import type { Place } from '../../../src/oauth/grant.ts';
import type { Store } from '../../../src/store/contract.ts';
import {
  isEndedBy,
  type LiveMark,
  type LiveToken,
  readMark,
} from '../../../src/store/live_tokens.ts';
import { aLogin, at, aTokenOfItsOwn, club, inParallel, otherClub, sweepAll } from '../fixtures.ts';
import { isRevoked } from '../login.ts';
import { eachStore } from './stores.ts';

const owner = digest('owner');

/** A token of second `issued` that is good for a minute. */
function aToken(tokenId: string, issued = 0, over: Partial<LiveToken> = {}): LiveToken {
  return {
    programme: club,
    use: 'live_token',
    key: owner,
    tokenId,
    issuedAt: at(issued),
    expiresAt: at(issued + 60),
    isRetry: false,
    longestToken: milliseconds(3_600_000),
    ...over,
  };
}

async function findLive(store: Store, now: Instant): Promise<LiveMark | undefined> {
  const held = await store.findKept(club, 'live_token', owner, now);
  return held && readMark(held);
}

async function stands(store: Store, tokenId: string): Promise<boolean> {
  return store.isStanding(club, { tokenId, expiresAt: at(60) });
}

eachStore('live tokens', (check) => {
  check('HOSTILE 74: of tokens that become live at once one is, and stays', async (o) => {
    const stores = await inParallel(4, () => o.elsewhere());
    const names = await inParallel(40, async (n) => {
      const tokenId = `token ${n}`;
      // Clocks differ: it is no matter of the time of issue.
      await stores[n % 4]?.keepText(aToken(tokenId, (n * 7) % 5), at(5));
      return tokenId;
    });
    const store = await o.reopened();
    const mark = await findLive(store, at(6));
    const good: string[] = [];
    for (const name of names) if (await stands(store, name)) good.push(name);
    assert.deepEqual(good, [mark?.tokenId]);
    assert.equal(mark?.upTo, at(4));
  });

  check('HOSTILE 74: a token that was just found good is dead once another is live', async (o) => {
    const { store } = o;
    await store.keepText(aToken('first', 0), at(0));
    assert.equal(await stands(store, 'first'), true);
    await store.keepText(aToken('second', 1), at(1));
    assert.deepEqual([await stands(store, 'first'), await stands(store, 'second')], [false, true]);
  });

  check('HOSTILE 74: what is kept of the live token, and until when', async (o) => {
    await o.store.keepText(aToken('first', 0, { login: 7 as Place }), at(0));
    const first: LiveMark = {
      tokenId: 'first',
      expiresAt: at(60),
      upTo: at(0),
      login: 7 as Place,
      until: at(3600),
    };
    assert.deepEqual(await findLive(await o.elsewhere(), at(1)), first);
    // Lifetimes were cut: what may be ended lives on all the same.
    await o.store.keepText(aToken('second', 2, { longestToken: milliseconds(1000) }), at(2));
    const store = await o.reopened();
    const second = { tokenId: 'second', expiresAt: at(62), upTo: at(2), until: at(3600) };
    assert.deepEqual(await findLive(store, at(3599.999)), second);
    assert.equal(await findLive(store, at(3600)), undefined);
    assert.equal(await store.findKept(otherClub, 'live_token', owner, at(3)), undefined);
    assert.deepEqual([await stands(store, 'first'), await stands(store, 'second')], [false, true]);
    // Each owner and programme by itself.
    await store.keepText(aToken('other', 3, { key: digest('other') }), at(3));
    await store.keepText(aToken('elsewhere', 3, { programme: otherClub }), at(3));
    assert.equal(await stands(store, 'second'), true);
  });

  check('HOSTILE 74: a token that was live never is again', async ({ store }) => {
    await store.keepText(aToken('first'), at(0));
    await store.keepText(aToken('second', 1), at(1));
    for (const isRetry of [true, false]) {
      await store.keepText(aToken('first', 0, { isRetry }), at(2));
      await store.keepText(aToken('first', 3, { isRetry }), at(3));
      assert.equal((await findLive(store, at(3)))?.tokenId, 'second');
    }
    assert.deepEqual([await stands(store, 'first'), await stands(store, 'second')], [false, true]);
    // Told again while it is the live one.
    assert.equal(await store.keepText(aToken('second', 1, { isRetry: true }), at(4)), true);
    assert.equal(await stands(store, 'second'), true);
  });

  check('HOSTILE 74: a retry becomes live only where nothing later has', async ({ store }) => {
    const retry = (tokenId: string, issued: number, login?: number): Promise<boolean> =>
      store.keepText(
        aToken(tokenId, issued, {
          isRetry: true,
          ...(login === undefined ? {} : { login: login as Place }),
        }),
        at(9),
      );
    const live = async (): Promise<string | undefined> => (await findLive(store, at(9)))?.tokenId;
    assert.equal(await retry('cut off', 1, 1), true);
    assert.equal(await live(), 'cut off');
    await store.keepText(aToken('later', 5, { login: 2 as Place }), at(5));
    assert.equal(await retry('earlier', 4, 1), false);
    await retry('as late', 5);
    assert.equal(await live(), 'later');
    // Of the same login, too, be it the same answer in another format.
    for (const issued of [4, 5]) assert.equal(await retry('of its login', issued, 2), false);
    assert.equal(await stands(store, 'later'), true);
    await retry('after it', 6, 3);
    assert.equal(await live(), 'after it');
  });

  check('HOSTILE 74: a clock that was ahead ends nothing after it was set right', async (o) => {
    await o.store.keepText(aToken('ahead', 9000), at(9000));
    await o.store.keepText(aToken('right', 10), at(10));
    assert.equal((await findLive(o.store, at(11)))?.upTo, at(10));
    const ahead = { tokenId: 'ahead', expiresAt: at(9060) };
    assert.equal(await o.store.isStanding(club, ahead), false);
  });

  for (const [seconds, isGone] of [
    [7200, false],
    [200_000, true],
  ] as const) {
    check(`FAULTS 33: a clock ${seconds} s ahead brings no replaced token back`, async (o) => {
      const { store } = o;
      const login = aLogin({ endsAt: at(86_400), forgetAt: at(86_400) });
      await store.startLogin(login);
      const { place, endsAt: loginEndsAt } = login;
      const own = aTokenOfItsOwn(await store.era());
      const key = digest('client');
      await store.keepText(aToken('first', 0, { login: place, loginEndsAt }), at(0));
      await store.keepText(aToken('second', 2, { login: place, loginEndsAt }), at(2));
      // It ends all that the client was issued while the programme had `live: any`.
      await store.keepText(aToken('of client', 2, { key, expiresAt: own.expiresAt }), at(2));
      await store.time(at(seconds));
      // Of the login it sees nothing yet.
      for (let calls = 0; calls < 40; calls += 1) await store.sweep(at(seconds), 1);
      await store.acceptTime(at(30));
      const later = await o.reopened();
      const mark = await findLive(later, at(31));
      const first = { tokenId: 'first', issuedAt: at(0) };
      const ended = [
        isEndedBy(mark, first, 'any', at(31)),
        (await isRevoked(later, login)) === undefined,
        await later.isStanding(club, own),
      ];
      assert.deepEqual(ended, isGone ? [false, true, false] : [true, false, false]);
    });
  }

  check('FAULTS 33: a mark of a clock ahead ends nothing since a time was accepted', async (o) => {
    await o.store.keepText(aToken('first'), at(0));
    await o.store.keepText(aToken('ahead', 9000, { login: 7 as Place }), at(9000));
    await o.store.keepText(aToken('other', 2, { key: digest('other') }), at(2));
    // Of a battery that is empty, and of a clock that is wild.
    for (const [n, upTo] of [5, 99_999_999_999_999].entries()) {
      const wild = { key: digest(`wild ${n}`), issuedAt: instant(upTo) };
      await o.store.keepText(aToken(`wild ${n}`, 1, wild), at(1));
    }
    await o.store.time(at(9000));
    await o.store.acceptTime(at(30));
    const store = await o.reopened();
    const mark = await findLive(store, at(8990));
    assert.deepEqual([mark?.tokenId, mark?.login, mark?.upTo], ['ahead', 7, at(30)]);
    const ended = [0, 30, 31].map((seconds) =>
      isEndedBy(mark, { tokenId: 'any', issuedAt: at(seconds) }, 'any', at(8990)),
    );
    assert.deepEqual(ended, [true, true, false]);
    const upTo = await inParallel(3, async (n) => {
      const key = digest(['wild 0', 'wild 1', 'other'][n] ?? '');
      const held = await store.findKept(club, 'live_token', key, at(31));
      return held && readMark(held).upTo;
    });
    assert.deepEqual(upTo, [5, at(30), at(2)]);
  });

  check('FAULTS 33: a token that was revoked before it was replaced stays dead', async (o) => {
    const { store } = o;
    const ends = { loginEndsAt: at(86_400) };
    await store.keepText(aToken('first', 0, ends), at(0));
    await store.revoke(club, { tokenId: 'first', expiresAt: at(60), ...ends }, at(1));
    await store.keepText(aToken('second', 2, ends), at(2));
    await sweepAll(store, at(7200));
    await store.acceptTime(at(30));
    assert.equal(await stands(await o.reopened(), 'first'), false);
  });
});
