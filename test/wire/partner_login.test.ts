// What a transcript (partner_login.transcript, partner_login_pages.transcript) cannot say of the partner-login clubs:
// forged tokens, words of every refusal, and a clock far from UTC (P-7, P-10).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, SignJWT } from 'jose';

import { failureReasons } from '../../src/oauth/reasons.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';
import {
  codeFor,
  invalidRefreshToken,
  openPartnerClub,
  redeem,
  refresh,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { type Answer } from '../support/wire.ts';

test('P-7: dateTimeIssued is the date in UTC, on both sides of midnight', async (t) => {
  // Far from UTC: a date in local time would be another one.
  const { TZ } = process.env;
  process.env['TZ'] = 'Pacific/Auckland';
  t.after(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  const club = await openPartnerClub(t);
  const dateIn = (answer: Answer): string | undefined =>
    tokensIn(answer).token_Information['dateTimeIssued'];
  club.clock.advance(20 * 3600 + 55 * 60 + 54.999);
  assert.equal(new Date(club.clock.now()).toISOString(), '2026-01-02T23:59:59.999Z');
  const codes = [await codeFor(club), await codeFor(club)];
  const before = await redeem(club, codes[0] ?? '');
  assert.equal(dateIn(before), '2026-01-02');
  club.clock.advance(0.001);
  assert.equal(dateIn(await redeem(club, codes[1] ?? '')), '2026-01-03');
  assert.equal(dateIn(await refresh(club, tokensIn(before).refresh_token)), '2026-01-03');
});

test('P-7: a refresh token is found by what it is, not believed for what it says', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const [head, body, signature] = token.split('.');
  const claims = decodeJwt(token);
  const altered = Buffer.from(JSON.stringify({ ...claims, client_id: 'Partner2' }));
  const unsigned = Buffer.from('{"alg":"none","typ":"rt+jwt"}').toString('base64url');
  const forged = [
    token.slice(0, -1),
    `${unsigned}.${body}.`,
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' })
      .sign(new Uint8Array(32)),
  ];
  for (const one of forged) assert.deepEqual(await refresh(club, one), invalidRefreshToken, one);
  // The refresh token inside proves itself, whatever stands beside it.
  tokensIn(await refresh(club, `${head}.${altered.toString('base64url')}.${signature}`));
});

test('P-10: every refusal is of letters and underscore, letters, digits, colon and space', () => {
  const shape = /^\{"error":"[A-Za-z_]+","error_description":"[A-Za-z0-9: ]+"\}$/;
  for (const { programme } of [secondClub, thirdClub]) {
    const { loaded } = loadProgramme(`${programme}.yaml`, shippedProgramme(programme));
    assert.ok(loaded);
    const compiled = compileProgramme(programme, loaded.definition, publicUrl);
    const parameters = ['grant_type', 'business-context-identifier', '<script>"é', '', undefined];
    for (const reason of failureReasons) {
      for (const parameter of parameters) {
        const facts = parameter === undefined ? {} : { parameter };
        const { status, headers, body } = compiled.renderFailure(reason, facts);
        // P-11: a 401 without a challenge is none (RFC 9110 15.5.2).
        assert.equal('WWW-Authenticate' in headers, status === 401 || status === 403, reason);
        assert.match(body, shape, `${reason} ${parameter}`);
      }
    }
  }
});
