// The executive club's grants beyond what its transcripts show: forms, the shipped limit, and lives of a month
// (G-2, G-10, G-18, G-23).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import {
  askPartnerToken,
  askTokens,
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

test('G-2 G-10: codes and opaque tokens have their forms, are never the same, and tokens stand', async (t) => {
  const club = await openClub(t);
  const codes = [await codeFor(club), await codeFor(club)];
  for (const code of codes) assert.match(code, /^[0-9a-f]{64}$/);
  assert.equal(new Set(codes).size, 2);
  const first = tokensIn(await redeem(club, codes[0] ?? ''));
  const second = tokensIn(await refresh(club, first.refresh_token));
  const partner = tokensIn(await askPartnerToken(club));
  const access = [first, second, partner].map((tokens) => tokens.access_token);
  for (const token of access) assert.match(token, /^(?:m[\w-]{56}|c[\w-]{80,110})$/);
  const refreshTokens = [first.refresh_token, second.refresh_token];
  for (const token of refreshTokens) assert.match(token, /^r[\w-]{60}$/);
  assert.equal(new Set([...access, ...refreshTokens]).size, 5);
  for (const token of access) assert.equal(await isLive(club, token), true);
});

test('G-18: the shipped limit is 600 a minute', async (t) => {
  const club = await openClub(t);
  const headers = { authorization: club.client.basic };
  const post = () => askTokens(club, { grant_type: 'authorization_code', code: 'x' }, headers);
  for (let batch = 0; batch < 12; batch++) {
    const answers = await Promise.all(Array.from({ length: 50 }, post));
    assert.ok(answers.every(({ status }) => status === 400));
  }
  assert.deepEqual(
    await post(),
    refused(429, { error: 'too_many_tokens' }, { 'retry-after': '60' }),
  );
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
