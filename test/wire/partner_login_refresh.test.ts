// Refreshing at the partner-login clubs: the second token endpoint, rotation, retries and reuse
// (P-7, P-9, HOSTILE 29, 31, 32).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, SignJWT } from 'jose';

import type { Subject } from '../../src/oauth/member.ts';
import { jsonHeaders } from '../support/club.ts';
import {
  addPartner,
  codeFor,
  headersOf,
  invalidRefreshToken,
  invalidScope,
  openPartnerClub,
  type PartnerClub,
  redeem,
  refresh,
  refreshAtKey,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { type Answer, ask } from '../support/wire.ts';

const hour = 3600;
const day = 24 * hour;

/** A rotation: the answer, and the refresh token that came with it. */
async function rotate(club: PartnerClub, token: string): Promise<readonly [Answer, string]> {
  const answer = await refresh(club, token);
  return [answer, tokensIn(answer).refresh_token];
}

for (const names of [secondClub, thirdClub]) {
  test(`P-9 P-7 C-10: a refresh token gives new tokens with the same fields, ${names.name}`, async (t) => {
    const club = await openPartnerClub(t, { names });
    const first = await redeem(club, await codeFor(club));
    const before = tokensIn(first);
    club.clock.advance(60);
    const answer = await refresh(club, before.refresh_token);
    assert.deepEqual({ ...answer, body: '' }, { status: 200, headers: jsonHeaders, body: '' });
    const after = tokensIn(answer);
    // To the byte but for what is new: tokens and jti.
    const { access_token: access, refresh_token: token, jti } = after;
    const old = first.body
      .replace(before.access_token, access)
      .replace(before.refresh_token, token)
      .replace(String(before.jti), String(jti));
    assert.equal(answer.body, old);
    const all = [before, after].flatMap((one) => [one.access_token, one.refresh_token, one.jti]);
    assert.equal(new Set(all).size, 6);
    const [one, two] = [decodeJwt(before.access_token), decodeJwt(access)];
    assert.deepEqual(two, {
      ...one,
      jti: String(jti),
      iat: (one.iat ?? 0) + 60,
      exp: (one.exp ?? 0) + 60,
    });
  });
}

test('P-9 HOSTILE 29: a retry inside the grace window gets the same bytes', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const [answer, successor] = await rotate(club, token);
  club.clock.advance(9.999);
  assert.deepEqual(await refresh(club, token), answer);
  const all = await Promise.all(Array.from({ length: 10 }, () => refresh(club, token)));
  for (const retry of all) assert.deepEqual(retry, answer);
  // No retry has made a second lineage.
  const [, next] = await rotate(club, successor);
  await rotate(club, next);
});

test('P-9 HOSTILE 29: simultaneous refreshes share one successor', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const all = await Promise.all(Array.from({ length: 20 }, () => refresh(club, token)));
  for (const answer of all) assert.deepEqual(answer, all[0]);
  await rotate(club, tokensIn(all[0] as Answer).refresh_token);
});

test('P-9 HOSTILE 29: reuse once the successor was used ends the whole family', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const [, second] = await rotate(club, token);
  const [, third] = await rotate(club, second);
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
  assert.deepEqual(await refresh(club, third), invalidRefreshToken);
});

test('P-9: what one login’s family suffers does not touch another’s', async (t) => {
  const club = await openPartnerClub(t);
  const [one, other] = [await tokensOfLogin(club), await tokensOfLogin(club)];
  await rotate(club, one.refresh_token);
  club.clock.advance(11);
  assert.deepEqual(await refresh(club, one.refresh_token), invalidRefreshToken);
  tokensIn(await refresh(club, other.refresh_token));
});

test('P-7 HOSTILE 31: a refresh token is bound to its client, whose lineage goes on', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const other = { ...club, client: await addPartner(club, { id: 'Partner2' }) };
  assert.deepEqual(await refresh(other, token), invalidRefreshToken);
  const [answer] = await rotate(club, token);
  // Neither is a rotated one a reuse when another client shows it, nor is the answer told.
  assert.deepEqual(await refresh(other, token), invalidRefreshToken);
  assert.deepEqual(await refresh(club, token), answer);
  club.clock.advance(11);
  assert.deepEqual(await refresh(other, token), invalidRefreshToken);
  await rotate(club, tokensIn(answer).refresh_token);
});

test('P-7: a refresh token is found by what it is, not believed for what it says', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const [head, , signature] = token.split('.');
  const claims = decodeJwt(token);
  const altered = Buffer.from(JSON.stringify({ ...claims, client_id: 'Partner2' }));
  const unsigned = Buffer.from('{"alg":"none","typ":"rt+jwt"}').toString('base64url');
  const forged = [
    `${token}x`,
    token.slice(0, -1),
    ` ${token}`,
    `${head}.${altered.toString('base64url')}.${signature}`,
    `${unsigned}.${token.split('.')[1]}.`,
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' })
      .sign(new Uint8Array(32)),
    'a'.repeat(8000),
  ];
  for (const one of forged) assert.deepEqual(await refresh(club, one), invalidRefreshToken, one);
  await rotate(club, token);
});

test('P-7 HOSTILE 32: a refreshed token has the scope that was granted, and no more', async (t) => {
  const club = await openPartnerClub(t);
  const scope = 'reset_password';
  const other = { scope: 'retrieve_username' };
  const asked = [
    await redeem(club, await codeFor(club, { scope })),
    await redeem(club, await codeFor(club), { scope }),
  ];
  for (const answer of asked) {
    const first = tokensIn(answer);
    assert.equal(first.scope, scope);
    assert.deepEqual(await refresh(club, first.refresh_token, other), invalidScope(other.scope));
    const second = tokensIn(await refresh(club, first.refresh_token));
    assert.equal(second.scope, scope, 'not asked for again, yet not lost');
    assert.equal(tokensIn(await refresh(club, second.refresh_token, { scope })).scope, scope);
  }
  const { refresh_token: none } = await tokensOfLogin(club);
  assert.deepEqual(await refresh(club, none, { scope }), invalidScope(scope), 'none was granted');
  assert.equal(tokensIn(await refresh(club, none)).scope, undefined);
});

test('P-9: a refresh token lives for 24 hours from each use, and 30 days from the login', async (t) => {
  const club = await openPartnerClub(t);
  let { refresh_token: token } = await tokensOfLogin(club);
  for (let use = 0; use < 30; use += 1) {
    club.clock.advance(day - 60);
    [, token] = await rotate(club, token);
  }
  const { exp = 0, iat = 0 } = decodeJwt(token);
  assert.equal(exp - iat, 30 * 60, 'what is left of the 30 days');
  club.clock.advance(30 * 60);
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
  const { refresh_token: unused } = await tokensOfLogin(club);
  club.clock.advance(day);
  assert.deepEqual(await refresh(club, unused), invalidRefreshToken);
});

test('P-9 P-15: a member whose account was closed gets no new tokens', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const subject = club.member.subject as Subject;
  await club.store.change('member', club.programme, subject, (member) => ({
    ...member,
    status: 'disabled',
  }));
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
});

for (const names of [secondClub, thirdClub]) {
  test(`P-9: a refresh token is taken at the key endpoint too, of one lineage, ${names.name}`, async (t) => {
    const club = await openPartnerClub(t, { names });
    const { refresh_token: token } = await tokensOfLogin(club);
    const answer = await refreshAtKey(club, token);
    assert.deepEqual(answer.headers, jsonHeaders);
    // A retry is one wherever it comes.
    assert.deepEqual(await refresh(club, token), answer);
    const [, next] = await rotate(club, tokensIn(answer).refresh_token);
    const last = tokensIn(await refreshAtKey(club, next)).refresh_token;
    assert.deepEqual(await refreshAtKey(club, token), invalidRefreshToken);
    assert.deepEqual(await refresh(club, last), invalidRefreshToken, 'reuse ends the family');
  });
}

test('P-9: with a line of YAML the refresh token travels in the query', async (t) => {
  const over = 'token_endpoints: { refresh: { read: query } }';
  const club = await openPartnerClub(t, { over });
  const { refresh_token: token } = await tokensOfLogin(club);
  const target = `${club.paths.refresh}?grant_type=refresh_token&refresh_token=${token}`;
  tokensIn(await ask(club.url, target, { method: 'POST', headers: headersOf(club) }));
});
