// Refresh tokens that stay (`tokens.refresh.rotation: off`) at several servers, in any history, and what they
// write. What is answered is in refresh_stays.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  invalidRefreshToken,
  isLive,
  openClub,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { inTurns, openNodes } from '../support/nodes.ts';
import { fc } from '../support/property.ts';

const hour = 3600;
const day = 24 * hour;

/** Its end is that of the login, as with most who have refresh tokens that stay. */
const stays = 'tokens: { refresh: { rotation: off, lifetime: 30d, longest: 30d } }';
/** It ends when it was not used for a day. */
const idles = 'tokens: { refresh: { rotation: off } }';

test('a use of a refresh token that ends with its login writes nothing', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { over: stays, store: failing.store });
  const { refresh_token: token } = await tokensOfLogin(club);
  failing.calls.length = 0;
  for (let use = 1; use <= 5; use += 1) {
    club.clock.advance(day);
    tokensIn(await refresh(club, token));
  }
  assert.ok(!failing.calls.includes('advanceLogin'), failing.calls.join());
});

test('20 uses at once on two nodes all get an access token, and the token stays', async (t) => {
  for (const over of [stays, idles]) {
    const { club, another } = await openNodes(t, over);
    const nodes = [club, await another()];
    const { refresh_token: token } = await tokensOfLogin(club);
    for (let round = 0; round < 3; round += 1) {
      club.clock.advance(hour);
      const answers = await inTurns(nodes, 20, (node) => refresh(node, token));
      for (const answer of answers) {
        const { access_token: access, refresh_token: same } = tokensIn(answer);
        assert.equal(same, token);
        assert.equal(await isLive(club, access), true);
      }
    }
  }
});

test('a JWT that stays is told as it came, and the identifiers of access tokens differ', async (t) => {
  const jwt =
    'tokens: { access: { format: jwt }, refresh: { format: jwt, rotation: off, lifetime: 30d } }';
  const club = await openClub(t, { over: jwt });
  const first = await tokensOfLogin(club);
  const answers = await inTurns([club], 3, (node) => refresh(node, first.refresh_token));
  const tokens = answers.map((answer) => tokensIn(answer));
  for (const one of tokens) assert.equal(one.refresh_token, first.refresh_token);
  assert.equal(new Set(tokens.map(({ access_token: text }) => text)).size, 3);
});

test('rotation can be turned off and on again: what was replaced stays replaced', async (t) => {
  const { club, another } = await openNodes(t);
  const off = await another(idles);
  const [first, other] = [await tokensOfLogin(club), await tokensOfLogin(off)];
  const second = tokensIn(await refresh(club, first.refresh_token));
  // The client whose answer was lost gets it from either version.
  const retried = tokensIn(await refresh(off, first.refresh_token));
  assert.equal(retried.refresh_token, second.refresh_token);
  for (let use = 0; use < 3; use += 1) {
    club.clock.advance(hour);
    const again = tokensIn(await refresh(off, second.refresh_token));
    assert.equal(again.refresh_token, second.refresh_token);
  }
  const third = tokensIn(await refresh(club, second.refresh_token));
  assert.notEqual(third.refresh_token, second.refresh_token);
  assert.deepEqual(await refresh(off, first.refresh_token), invalidRefreshToken);
  assert.deepEqual(await refresh(off, third.refresh_token), invalidRefreshToken);
  const replaced = tokensIn(await refresh(club, other.refresh_token));
  assert.notEqual(replaced.refresh_token, other.refresh_token);
});

type Use = readonly [pause: number, count: number];

/** Seconds before each round, up to beyond the idle time, and how many use the token at once. */
const uses: fc.Arbitrary<readonly Use[]> = fc.array(
  fc.tuple(fc.constantFrom(0, 0.4, 1, 61, hour, day - 1, day), fc.integer({ min: 1, max: 4 })),
  { maxLength: 12 },
);

test('a token that stays is good until its login or its idle time ends, and never revoked', async (t) => {
  const club = await openClub(t, { over: 'tokens: { refresh: { rotation: off, longest: 3d } }' });
  const property = fc.asyncProperty(uses, async (rounds) => {
    const { refresh_token: token } = await tokensOfLogin(club);
    const access: string[] = [];
    let [age, used] = [0, 0];
    for (const [pause, count] of rounds) {
      club.clock.advance(pause);
      age += pause;
      const isGood = age < 3 * day && age - used < day;
      const answers = await inTurns([club], count, (node) => refresh(node, token));
      for (const answer of answers) {
        if (!isGood) assert.deepEqual(answer, invalidRefreshToken);
        else access.push(tokensIn(answer).access_token);
      }
      if (!isGood) return;
      // A use that would gain less than a second is none.
      if (Math.min(used + day, 3 * day) + 1 <= Math.min(age + day, 3 * day)) used = age;
      assert.equal(await isLive(club, access.at(-1) ?? ''), true);
    }
  });
  await fc.assert(property, { numRuns: 40 });
});
