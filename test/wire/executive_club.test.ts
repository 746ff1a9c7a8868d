// The executive club's grants beyond what its transcript shows: forms, levels and throttling (G-2, G-10,
// G-12, G-18).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askPartnerToken,
  askTokens,
  codeFor,
  invalidCode,
  isLive,
  openClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';

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

test('G-12: the level of a member token is the one the directory gives', async (t) => {
  const club = await openClub(t);
  const levels = [
    ['ten', undefined, 'AUTHN-LEVEL-10'],
    ['twelve', 'AUTHN-LEVEL-12', 'AUTHN-LEVEL-12'],
    ['fifteen', 'AUTHN-LEVEL-15', 'AUTHN-LEVEL-15'],
    ['unheard-of', 'AUTHN-LEVEL-99', 'AUTHN-LEVEL-10'],
  ] as const;
  for (const [username, level, scope] of levels) {
    const member = await club.addMember({ username, ...(level === undefined ? {} : { level }) });
    const tokens = await tokensOfLogin({ ...club, member });
    assert.equal(tokens.scope, scope);
    assert.equal(tokensIn(await refresh(club, tokens.refresh_token)).scope, scope);
  }
});

test('G-12: a member token may be asked for at a lower level, never at a higher; a partner token at neither', async (t) => {
  const club = await openClub(t);
  const member = await club.addMember({ username: 'bob', level: 'AUTHN-LEVEL-12' });
  const bob = { ...club, member };
  const tooHigh = refused(400, { error: 'invalid_scope' });
  const code = await codeFor(bob);
  assert.deepEqual(await redeem(club, code, { scope: 'AUTHN-LEVEL-15' }), tooHigh);
  const lower = tokensIn(await redeem(club, code, { scope: 'AUTHN-LEVEL-10' }));
  assert.equal(lower.scope, 'AUTHN-LEVEL-10');
  const partner = { grant_type: 'client_credentials', scope: 'AUTHN-LEVEL-12' };
  assert.deepEqual(await askTokens(club, partner), tooHigh);
});

test('G-18: one counter per client over all grants, and a time to come back', async (t) => {
  const club = await openClub(t);
  const throttle = { limit: 4, window: 60_000 };
  const slow = await club.addClient({ id: 'partnerapi-00002', more: { throttle } });
  const other = await club.addClient({ id: 'partnerapi-00003', more: { throttle } });
  const authorization = slow.basic;
  const slowClub = { ...club, client: slow };
  const code = await codeFor(slowClub);
  const tokens = tokensIn(await redeem(slowClub, code));
  const second = tokensIn(await refresh(slowClub, tokens.refresh_token));
  assert.equal((await askPartnerToken(club, { authorization })).status, 200);
  club.clock.advance(20.5);
  assert.deepEqual(await redeem(slowClub, 'nonsense'), invalidCode);
  const tooMany = refused(429, { error: 'too_many_tokens' }, { 'retry-after': '40' });
  assert.deepEqual(await askPartnerToken(club, { authorization }), tooMany);
  assert.deepEqual(await refresh(slowClub, second.refresh_token), tooMany);
  const { basic } = other;
  assert.equal((await askPartnerToken(club, { authorization: basic })).status, 200);
  club.clock.advance(39.5);
  tokensIn(await refresh(slowClub, second.refresh_token));
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
