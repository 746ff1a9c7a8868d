// The partner-login clubs' tokens on the wire: whole answers of /secure/key, to the byte but for
// the tokens themselves, which are verified as a resource server does (P-2, P-5, P-7, C-9).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import { publicUrl } from '../support/jetway.ts';
import {
  codeFor,
  context,
  invalidCode,
  openPartnerClub,
  partnerId,
  type PartnerClub,
  redeem,
  refresh,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { keySetOf, verifyJwt } from '../support/resource_server.ts';

const jwt = '[\\w-]+\\.[\\w-]+\\.[\\w-]{86}';
const startedAt = Date.parse('2026-01-02T03:04:05Z') / 1000;

/** A token response, to the byte but for the tokens and jti. */
function tokenBody({ identifier }: PartnerClub, { scope = '', date = '2026-01-02' } = {}): RegExp {
  return new RegExp(
    `^\\{"access_token":"${jwt}","token_type":"bearer","refresh_token":"${jwt}",` +
      `"expires_in":1800,${scope === '' ? '' : `"scope":"${scope}",`}"jti":[1-9]\\d{0,15},` +
      `"token_Information":\\{"dateTimeIssued":"${date}","authenticationLevel":"AUTHENTICATED",` +
      `"requestApplication":"${context}","requestedPartnerId":"${partnerId}",` +
      `"programmeIdentifier":"${identifier}"\\}\\}$`,
  );
}

for (const names of [secondClub, thirdClub]) {
  test(`P-7 C-9: the access token is a JWT by the published key, ${names.name}`, async (t) => {
    const club = await openPartnerClub(t, { names });
    const tokens = await tokensOfLogin(club);
    const { payload, protectedHeader } = await verifyJwt(club, club.own, tokens.access_token);
    const [key] = (await keySetOf(club, club.own)).keys;
    assert.deepEqual(protectedHeader, { alg: 'ES256', typ: 'at+jwt', kid: key?.kid });
    assert.deepEqual(payload, {
      iss: publicUrl + club.own,
      aud: publicUrl + club.own,
      sub: club.member.subject,
      client_id: club.client.id,
      // The number of the answer and the text of the claim are the same digits.
      jti: String(tokens.jti),
      iat: startedAt,
      exp: startedAt + 1800,
      family: payload['family'],
    });
    club.clock.advance(60);
    const next = tokensIn(await refresh(club, tokens.refresh_token));
    const jti = String(next.jti);
    const later = { ...payload, jti, iat: startedAt + 60, exp: startedAt + 1860 };
    assert.deepEqual((await verifyJwt(club, club.own, next.access_token)).payload, later);
  });
}

test('P-2: a code is alphanumeric, and never the same', async (t) => {
  const club = await openPartnerClub(t);
  const codes = [await codeFor(club), await codeFor(club)];
  for (const code of codes) assert.match(code, /^[A-Za-z0-9]{43}$/);
  assert.equal(new Set(codes).size, 2);
});

test('P-7: scope is there when one was granted, whether at the login or with the code', async (t) => {
  const club = await openPartnerClub(t);
  const scope = 'reset_password';
  const asked = [
    await redeem(club, await codeFor(club, { scope })),
    await redeem(club, await codeFor(club), { scope }),
    await redeem(club, await codeFor(club, { scope }), { scope }),
  ];
  for (const answer of asked) {
    assert.match(answer.body, tokenBody(club, { scope }));
    const { payload } = await verifyJwt(club, club.own, tokensIn(answer).access_token);
    assert.equal(payload['scope'], scope);
  }
});

test('P-7: jti is a number from 1 to 2^53-1, another for each token', async (t) => {
  const club = await openPartnerClub(t);
  const found: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const answer = await redeem(club, await codeFor(club));
    const tokens = tokensIn(answer);
    const [, digits = ''] = /"jti":(\d+),/.exec(answer.body) ?? [];
    assert.ok(Number.isSafeInteger(tokens.jti) && tokens.jti >= 1, digits);
    assert.equal(String(tokens.jti), digits);
    found.push(digits, decodeJwt(tokens.refresh_token).jti ?? '');
  }
  assert.equal(new Set(found).size, found.length, 'each token has its own');
});

test('P-7: dateTimeIssued is the date in UTC, on both sides of midnight', async (t) => {
  // Far from UTC: a date in local time would be another one.
  const { TZ } = process.env;
  process.env['TZ'] = 'Pacific/Auckland';
  t.after(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  const club = await openPartnerClub(t);
  club.clock.advance(20 * 3600 + 55 * 60 + 54.999);
  assert.equal(new Date(club.clock.now()).toISOString(), '2026-01-02T23:59:59.999Z');
  const codes = [await codeFor(club), await codeFor(club)];
  const before = await redeem(club, codes[0] ?? '');
  assert.match(before.body, tokenBody(club, { date: '2026-01-02' }));
  club.clock.advance(0.001);
  const after = await redeem(club, codes[1] ?? '');
  assert.match(after.body, tokenBody(club, { date: '2026-01-03' }));
  const next = await refresh(club, tokensIn(before).refresh_token);
  assert.match(next.body, tokenBody(club, { date: '2026-01-03' }));
});

test('P-7: membershipNumber belongs to the password grant alone', async (t) => {
  const club = await openPartnerClub(t);
  const membershipNumber = '1234567890123456';
  const { programme } = club;
  const member = await club.addMember({ programme, username: 'bob', membershipNumber });
  const answer = await redeem(club, await codeFor({ ...club, member }));
  assert.match(answer.body, tokenBody(club));
  assert.ok(!answer.body.includes('membershipNumber'));
});

test('P-7 HOSTILE 35: a refresh token is a JWT of another type, good for refreshing alone', async (t) => {
  const club = await openPartnerClub(t);
  const { access_token: access, refresh_token: token } = await tokensOfLogin(club);
  assert.equal(decodeProtectedHeader(token).typ, 'rt+jwt');
  const payload = decodeJwt(token);
  assert.equal(payload.aud, 'urn:jetway:refresh-token');
  assert.deepEqual(
    [payload['client_id'], payload.iat, payload.exp],
    [club.client.id, startedAt, startedAt + 24 * 3600],
  );
  const code = 'ERR_JWT_CLAIM_VALIDATION_FAILED';
  await assert.rejects(verifyJwt(club, club.own, token), { code, claim: 'typ' });
  await assert.rejects(verifyJwt(club, club.own, token, 'rt+jwt'), { code, claim: 'aud' });
  await assert.rejects(verifyJwt(club, club.own, access, 'rt+jwt'), { code, claim: 'typ' });
  assert.deepEqual(await redeem(club, token), invalidCode);
  assert.deepEqual(await redeem(club, access), invalidCode);
  assert.equal((await refresh(club, access)).status, 400);
  tokensIn(await refresh(club, token));
});
