// Refresh tokens that stay (`tokens.refresh.rotation: off`) in any history. Other uses are in
// refresh_stays.transcript.

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
import { inTurns } from '../support/nodes.ts';
import { fc } from '../support/property.ts';

const hour = 3600;
const day = 24 * hour;

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
