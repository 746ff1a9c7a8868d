// Refresh tokens that stay (`tokens.refresh.rotation: off`), and retries long after an answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import {
  invalidRefreshToken,
  isLive,
  openClub,
  programme,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { inTurns, openNodes } from '../support/nodes.ts';
import { fc } from '../support/property.ts';
import { post } from '../support/wire.ts';

const hour = 3600;
const day = 24 * hour;

/** Its end is that of the login, as with most who have refresh tokens that stay. */
const stays = 'tokens: { refresh: { rotation: off, lifetime: 30d, longest: 30d } }';
/** It ends when it was not used for a day. */
const idles = 'tokens: { refresh: { rotation: off } }';

test('RFC 6749 6: a refresh token that stays is told again with each access token', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { over: stays, store: failing.store });
  const first = await tokensOfLogin(club);
  failing.calls.length = 0;
  const texts = [first.access_token];
  for (let use = 1; use <= 5; use += 1) {
    club.clock.advance(day);
    const tokens = tokensIn(await refresh(club, first.refresh_token));
    assert.deepEqual(tokens, {
      ...first,
      access_token: tokens.access_token,
      ba_refresh_expires_in: (30 - use) * day,
    });
    assert.equal(await isLive(club, tokens.access_token), true);
    texts.push(tokens.access_token);
  }
  assert.equal(new Set(texts).size, 6);
  assert.equal(await isLive(club, first.access_token), false);
  assert.deepEqual(
    failing.calls.filter((verb) => verb === 'advanceLogin'),
    [],
  );
  club.clock.advance(25 * day - 60);
  const last = tokensIn(await refresh(club, first.refresh_token));
  assert.deepEqual([last.expires_in, last.ba_refresh_expires_in], [60, 60]);
  club.clock.advance(60);
  assert.equal(await isLive(club, last.access_token), false);
  assert.deepEqual(await refresh(club, first.refresh_token), invalidRefreshToken);
});

test('a refresh token that stays ends when it was not used for its lifetime', async (t) => {
  const club = await openClub(t, { over: idles });
  const { refresh_token: token } = await tokensOfLogin(club);
  for (let use = 0; use < 3; use += 1) {
    club.clock.advance(day - 0.001);
    assert.equal(tokensIn(await refresh(club, token)).ba_refresh_expires_in, day);
  }
  // Less than a second is no gain: nothing is written.
  club.clock.advance(0.5);
  assert.equal(tokensIn(await refresh(club, token)).ba_refresh_expires_in, day - 1);
  club.clock.advance(day - 0.5);
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
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

test('revocation and a disabled member end a login whose refresh token stays', async (t) => {
  const club = await openClub(t, { over: [stays, 'revocation: { path: /revoke }'] });
  const { basic } = club.client;
  const [gone, left] = [await tokensOfLogin(club), await tokensOfLogin(club)];
  const used = tokensIn(await refresh(club, gone.refresh_token));
  const fields = { token: gone.refresh_token };
  await post(club.url, '/executive-club/revoke', fields, { authorization: basic });
  assert.deepEqual(await refresh(club, gone.refresh_token), invalidRefreshToken);
  assert.equal(await isLive(club, used.access_token), false);
  const status = (to: 'active' | 'disabled') =>
    club.store.change('member', programme, club.member.subject as Subject, (member) => ({
      ...member,
      status: to,
    }));
  await status('disabled');
  assert.deepEqual(await refresh(club, left.refresh_token), invalidRefreshToken);
  await status('active');
  assert.deepEqual(await refresh(club, left.refresh_token), invalidRefreshToken);
});

test('HOSTILE 32: each use may ask for less, and the next one has the whole scope again', async (t) => {
  const club = await openClub(t, { over: stays });
  const { refresh_token: token, scope } = await tokensOfLogin(club);
  const less = tokensIn(await refresh(club, token, { scope: 'AUTHN-LEVEL-10' }));
  assert.equal(less.scope, 'AUTHN-LEVEL-10');
  assert.equal(tokensIn(await refresh(club, token)).scope, scope);
  const more = await refresh(club, token, { scope: 'AUTHN-LEVEL-15' });
  assert.deepEqual(JSON.parse(more.body), { error: 'invalid_scope' });
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

test('a late retry gets the same refresh token, with an access token that is new', async (t) => {
  const club = await openClub(t, { over: 'tokens: { refresh: { grace: 1h } }' });
  const { refresh_token: token } = await tokensOfLogin(club);
  const first = tokensIn(await refresh(club, token));
  club.clock.advance(60);
  assert.deepEqual(tokensIn(await refresh(club, token)), first);
  club.clock.advance(hour - 60);
  const late = tokensIn(await refresh(club, token));
  assert.deepEqual(late, {
    ...first,
    access_token: late.access_token,
    ba_refresh_expires_in: day - hour,
  });
  assert.equal(await isLive(club, first.access_token), false);
  assert.equal(await isLive(club, late.access_token), true);
  club.clock.advance(0.001);
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
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
