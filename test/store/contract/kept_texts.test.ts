// Owns the contract of kept texts: once, last, until their end, and the floor under assertions.

import assert from 'node:assert/strict';

import { digest } from '../../../src/lib/digest.ts';
import { type KeptText, longestAssertion } from '../../../src/store/kept_texts.ts';
import { at, club, inParallel, otherClub, sweepAll } from '../fixtures.ts';
import { eachStore } from './stores.ts';

/** An assertion of second 0 that ends after five minutes. */
function anAssertion(jti: string, over: Partial<KeptText> = {}): KeptText {
  return {
    programme: club,
    use: 'assertion',
    key: digest(jti),
    text: '',
    until: at(300),
    issuedAt: at(0),
    ...over,
  };
}

const aText = (text: string, over: Partial<KeptText> = {}): KeptText =>
  anAssertion('owner', { use: 'live_token', text, ...over });

eachStore('kept texts', (check) => {
  check('RFC 7523 3: of one assertion at once exactly one is taken', async (o) => {
    const stores = await inParallel(20, () => o.elsewhere());
    const kept = await Promise.all(stores.map((one) => one.keepText(anAssertion('a'), at(1))));
    assert.equal(kept.filter(Boolean).length, 1);
    const store = await o.reopened();
    assert.equal(await store.keepText(anAssertion('a'), at(299.999)), false);
    for (const other of [{ key: digest('b') }, { programme: otherClub }]) {
      assert.equal(await store.keepText(anAssertion('a', other), at(2)), true);
    }
    assert.equal(await store.keepText(anAssertion('a', { use: 'access_token' }), at(2)), true);
  });

  check('DESIGN: a text is found until its end, or until another takes its place', async (o) => {
    const later = { until: at(600) };
    assert.equal(await o.store.keepText(aText('first'), at(0)), true);
    assert.equal(await o.store.keepText(aText('second', later), at(1)), true);
    const find = async (seconds: number, store = o.store, programme = club) =>
      (await store.findKept(programme, 'live_token', digest('owner'), at(seconds)))?.text;
    assert.equal(await find(2, await o.elsewhere()), 'second');
    assert.equal(await find(599.999, await o.reopened()), 'second');
    const store = await o.reopened();
    assert.equal(await find(600, store), undefined);
    assert.equal(await find(2, store, otherClub), undefined);
    assert.equal(await store.findKept(club, 'access_token', digest('owner'), at(2)), undefined);
    assert.equal(await store.keepText(aText('third', { until: at(900) }), at(600)), true);
    assert.equal(await find(601, store), 'third');
  });

  check('RFC 7523 3: an assertion stays what it is until its end', async ({ store }) => {
    const keep = async (text: string, seconds: number): Promise<boolean> =>
      store.keepText(anAssertion('a', { text, until: at(seconds + 300) }), at(seconds));
    const find = async (seconds: number) =>
      (await store.findKept(club, 'assertion', digest('a'), at(seconds)))?.text;
    assert.equal(await keep('first', 0), true);
    assert.equal(await keep('second', 1), false);
    assert.equal(await find(299.999), 'first');
    assert.equal(await keep('third', 300), true);
    assert.equal(await find(301), 'third');
  });

  check('DESIGN: of many texts at once one is the last', async ({ store }) => {
    const names = await inParallel(20, async (n) => {
      await store.keepText(aText(`text ${n}`), at(0));
      return `text ${n}`;
    });
    const found = await store.findKept(club, 'live_token', digest('owner'), at(1));
    assert.ok(names.includes(found?.text ?? ''));
  });

  check('DESIGN: texts are swept at their end', async ({ store }) => {
    await inParallel(20, (n) => store.keepText(anAssertion(`jti ${n}`), at(0)));
    await inParallel(20, (n) =>
      store.keepText(aText('x', { key: digest(`${n}`), until: at(600) }), at(0)),
    );
    assert.equal(await sweepAll(store, at(299.999), 7), 0);
    assert.equal(await sweepAll(store, at(300), 7), 20);
    assert.equal(await sweepAll(store, at(600), 7), 20);
  });

  check('FAULTS 29: no assertion of a clock ahead is used again when it is set back', async (o) => {
    const used = anAssertion('used', { issuedAt: at(3000), until: at(3300) });
    assert.equal(await o.store.keepText(used, at(3000)), true);
    await sweepAll(o.store, at(3400));
    await o.store.time(at(3400));
    await o.store.acceptTime(at(100));
    const store = await o.reopened();
    const expect = async (text: KeptText, isKept: boolean, from = store): Promise<void> =>
      assert.equal(await from.keepText(text, at(100)), isKept, JSON.stringify(text));
    await expect(used, false);
    // Without `iat` it counts as old as it can be.
    const { issuedAt: _issuedAt, ...undated } = used;
    await expect(undated, false);
    await expect(anAssertion('at the drift', { issuedAt: at(3460), until: at(3700) }), false);
    await expect(anAssertion('later', { issuedAt: at(3461), until: at(3700) }), true);
    await expect(aText('no assertion'), true);
    // HOSTILE 74: taken up to ten minutes before its issue, and as long after its end an hour later.
    await sweepAll(store, at(3460 + 4799));
    await expect(anAssertion('long', { issuedAt: at(3460), until: at(9000) }), false);
    // A clock that was far ahead shuts nobody out for longer than an assertion lives.
    const hour = longestAssertion / 1000;
    await store.time(at(90_000));
    await store.acceptTime(at(200));
    const far = await o.reopened();
    await expect(anAssertion('below', { issuedAt: at(260 + hour), until: at(9000) }), false, far);
    await expect(anAssertion('above', { issuedAt: at(261 + hour), until: at(9000) }), true, far);
  });
});
