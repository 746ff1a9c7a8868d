// How long the executive club's tokens live on the wire, and what ends them sooner (G-23).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import {
  type Club,
  codeFor,
  invalidRefreshToken,
  isLive,
  openClub,
  programme,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';

const hour = 3600;
const day = 24 * hour;

function setStatus(club: Club, status: 'active' | 'disabled'): Promise<unknown> {
  const subject = club.member.subject as Subject;
  return club.store.change('member', programme, subject, (member) => ({ ...member, status }));
}

test('G-23: a refresh token lives for 24 hours from each use', async (t) => {
  const club = await openClub(t);
  let tokens = await tokensOfLogin(club);
  for (let use = 0; use < 3; use++) {
    club.clock.advance(day - 0.001);
    tokens = tokensIn(await refresh(club, tokens.refresh_token));
    assert.equal(tokens.ba_refresh_expires_in, day);
  }
  club.clock.advance(day);
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
});

test('G-23: a lifetime of all of the longest login is told in full, less whole seconds since then', async (t) => {
  const club = await openClub(t, { over: 'tokens: { refresh: { lifetime: 30d } }' });
  for (const [waited, left] of [
    [0, 30 * day],
    [0.25, 30 * day],
    [2.5, 30 * day - 2],
  ] as const) {
    const code = await codeFor(club);
    club.clock.advance(waited);
    const tokens = tokensIn(await redeem(club, code));
    assert.equal(tokens.ba_refresh_expires_in, left);
    club.clock.advance(left - 0.001);
    const next = tokensIn(await refresh(club, tokens.refresh_token));
    club.clock.advance(0.001);
    assert.deepEqual(await refresh(club, next.refresh_token), invalidRefreshToken);
  }
});

test('G-23: no token outlives 30 days from the login', async (t) => {
  const club = await openClub(t);
  const code = await codeFor(club);
  club.clock.advance(100);
  let tokens = tokensIn(await redeem(club, code));
  for (let use = 0; use < 31; use++) {
    club.clock.advance(23 * hour);
    tokens = tokensIn(await refresh(club, tokens.refresh_token));
  }
  const left = 30 * day - 31 * 23 * hour - 100;
  assert.equal(tokens.ba_refresh_expires_in, left);
  club.clock.advance(left - 60);
  const last = tokensIn(await refresh(club, tokens.refresh_token));
  assert.deepEqual([last.expires_in, last.ba_refresh_expires_in], [60, 60]);
  club.clock.advance(59.999);
  assert.equal(await isLive(club, last.access_token), true);
  club.clock.advance(0.001);
  assert.equal(await isLive(club, last.access_token), false);
  assert.deepEqual(await refresh(club, last.refresh_token), invalidRefreshToken);
});

test('G-19 G-23: a member disabled since gets no token, and the login is dead', async (t) => {
  const club = await openClub(t);
  const tokens = await tokensOfLogin(club);
  const elsewhere = await tokensOfLogin(club);
  await setStatus(club, 'disabled');
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
  assert.equal(await isLive(club, tokens.access_token), false);
  await setStatus(club, 'active');
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
  // Each login is a family of its own: this one was not presented while the member was disabled.
  tokensIn(await refresh(club, elsewhere.refresh_token));
});

test('G-23: a member who changed their password or name keeps their logins', async (t) => {
  const club = await openClub(t);
  const tokens = await tokensOfLogin(club);
  const subject = club.member.subject as Subject;
  await club.store.change('member', programme, subject, (member) => ({
    ...member,
    username: 'anna',
  }));
  tokensIn(await refresh(club, tokens.refresh_token));
});

test('G-23: a partner that lost its role gets no new tokens, and the old ones are not spent', async (t) => {
  const club = await openClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const id = club.client.id as never;
  await club.store.change('client', programme, id, (client) => ({ ...client, roles: ['partner'] }));
  assert.deepEqual(
    await refresh(club, token),
    refused(400, { error: 'invalid_grant', error_description: 'access_denied' }),
  );
  await club.store.change('client', programme, id, (client) => ({ ...client, roles: ['member'] }));
  tokensIn(await refresh(club, token));
});
