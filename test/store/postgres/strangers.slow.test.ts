// HOSTILE 83: what strangers can make a PostgreSQL store keep is bounded, and tells no identifier apart.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { countTogether } from '../../../src/store/postgres/counters.ts';
import { forCare, Link } from '../../../src/store/postgres/link/link.ts';
import { Primary } from '../../../src/store/postgres/link/primary.ts';
import { serversOf } from '../../../src/store/postgres/link/servers.ts';
import { mostWindows } from '../../../src/store/windows.ts';
import { askTokens, type Club, openClub, unknownClient } from '../../support/club.ts';
import { basic, partnerToken } from '../../support/partner_token.ts';
import { without } from '../../support/tools.ts';
import type { Answer } from '../../support/wire.ts';
import { at, club as programme, inParallel } from '../fixtures.ts';
import { type PostgresScene, postgresStore } from './scratch.ts';

/** Rows of windows, by counter. */
async function rowsOf({ query }: PostgresScene): Promise<Readonly<Record<string, number>>> {
  const found = await query('SELECT counter, count(*) AS rows FROM throttle GROUP BY counter');
  return Object.fromEntries<number>(
    found.map(({ counter, rows }) => [String(counter), Number(rows)]),
  );
}

const ofOnePlace = { trustedProxies: ['127.0.0.1/32'] };
const limited = (limit: number): string =>
  `throttle: off\nclient: { authentication: { failure_limit: { limit: ${limit}, window: 10m } } }\n`;

function guess(club: Club, id: string, from: string): Promise<Answer> {
  return askTokens(club, partnerToken, { ...basic(`${id}:wrong`), 'x-forwarded-for': from });
}

const madeUp = (n: number): string => `partnerapi-${String(10_000 + n)}`;

describe('strangers at a PostgreSQL store', { skip: without('postgres') }, () => {
  test('HOSTILE 83: wrong secrets for a thousand made-up identifiers are 64 rows of an address', async (t) => {
    const opened = await postgresStore(t);
    const club = await openClub(t, { over: limited(1000), store: opened.store, ...ofOnePlace });
    for (let n = 0; n < 1000; n += 100) {
      const answers = await inParallel(100, (m) => guess(club, madeUp(n + m), '192.0.2.1'));
      for (const answer of answers) assert.deepEqual(answer, unknownClient);
    }
    assert.deepEqual(await rowsOf(opened), { failed_secret: 64 });
    // One /64 is one address.
    for (const n of Array(5).keys()) await guess(club, madeUp(0), `2001:db8::${n}`);
    assert.deepEqual(await rowsOf(opened), { failed_secret: 65 });
  });

  test('HOSTILE 40 83: whatever made-up identifiers have used up, a registered one is answered like another', async (t) => {
    const { store } = await postgresStore(t);
    const club = await openClub(t, { over: limited(2), store, ...ofOnePlace });
    for (let n = 0; n < 1500; n += 100) {
      await inParallel(100, (m) => guess(club, madeUp(20_000 + n + m), '192.0.2.1'));
    }
    const throttled = await guess(club, club.client.id, '192.0.2.1');
    assert.equal(throttled.status, 429);
    assert.deepEqual(await guess(club, 'partnerapi-99999', '192.0.2.1'), throttled);
    const right = { authorization: club.client.basic, 'x-forwarded-for': '192.0.2.1' };
    assert.equal((await askTokens(club, partnerToken, right)).status, 200);
    for (const id of [club.client.id, 'partnerapi-99999']) {
      assert.deepEqual(await guess(club, id, '192.0.2.2'), unknownClient);
    }
  });

  test('HOSTILE 83: a node opens a bounded number of windows; beyond it events are counted all the same', async (t) => {
    const opened = await postgresStore(t);
    const link = new Link(forCare, new Primary(serversOf(opened.location)));
    t.after(() => link.close());
    const count = countTogether(link, { ...mostWindows, failed_login: 50 });
    const limit = { limit: 2, window: 60_000 };
    const ask = (n: number, second: number, by?: -1) =>
      count('failed_login', programme, `place ${n}`, limit, at(second), by);
    const expectAll = async (expected: boolean): Promise<void> => {
      const outcomes = await inParallel(200, (n) => ask(n, 0));
      for (const { allowed } of outcomes) assert.equal(allowed, expected);
    };
    for (const round of [true, true, false]) await expectAll(round);
    // What is given back goes to where it was counted.
    await inParallel(200, (n) => ask(n, 0, -1));
    for (const round of [true, false]) await expectAll(round);
    assert.deepEqual(await rowsOf(opened), { failed_login: 50 });
    // Windows that have ended make room, two for each event.
    await inParallel(50, (n) => ask(1000 + n, 61));
    assert.deepEqual(await rowsOf(opened), { failed_login: 100 });
  });
});
