// Refreshing at the partner-login clubs: forged tokens, and lives of days (P-7, P-9). What a refresh answers is
// in partner_login.transcript and the second club's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, SignJWT } from 'jose';

import {
  invalidRefreshToken,
  openPartnerClub,
  type PartnerClub,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import type { Answer } from '../support/wire.ts';

const hour = 3600;
const day = 24 * hour;

/** A rotation: the answer, and the refresh token that came with it. */
async function rotate(club: PartnerClub, token: string): Promise<readonly [Answer, string]> {
  const answer = await refresh(club, token);
  return [answer, tokensIn(answer).refresh_token];
}

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
    `${unsigned}.${token.split('.')[1]}.`,
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' })
      .sign(new Uint8Array(32)),
    'a'.repeat(8000),
  ];
  for (const one of forged) assert.deepEqual(await refresh(club, one), invalidRefreshToken, one);
  // The refresh token inside proves itself, whatever stands beside it.
  await rotate(club, `${head}.${altered.toString('base64url')}.${signature}`);
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
