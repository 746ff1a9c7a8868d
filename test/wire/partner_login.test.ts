// What a transcript (partner_login.transcript, partner_login_pages.transcript) cannot say of the partner-login clubs:
// forged tokens, odd spellings of headers, hundreds of requests, and a clock far from UTC (P-5 to P-14).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt, SignJWT } from 'jose';

import { failureReasons } from '../../src/oauth/reasons.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { publicUrl, shippedProgramme } from '../support/jetway.ts';
import {
  codeFor,
  headersOf,
  invalidClient,
  invalidRefreshToken,
  openPartnerClub,
  redeem,
  refresh,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { type Answer, ask, rawExchange } from '../support/wire.ts';

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

test('HOSTILE 38: two authorization headers, right as one may be, are 401', async (t) => {
  const club = await openPartnerClub(t);
  const lines = Object.entries(headersOf(club)).map(([name, value]) => `${name}: ${value}`);
  const target = `${club.paths.key}?grant_type=authorization_code&code=x`;
  for (const again of [club.client.basic, 'Basic x', 'Bearer x']) {
    const head = [`POST ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines];
    const sent = `${head.join('\r\n')}\r\nauthorization: ${again}\r\n\r\n`;
    const answer = await rawExchange(club.url, sent);
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.ok(answer.endsWith(invalidClient(club).body), answer);
  }
});

test('P-3 P-6: names of headers are taken in any case; a login request needs none, and no body', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const upper = Object.fromEntries(
    Object.entries(headersOf(club)).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const answer = await ask(club.url, club.paths.refresh, {
    method: 'POST',
    headers: { ...upper, 'CONTENT-TYPE': 'application/x-www-form-urlencoded' },
    body: `grant_type=refresh_token&refresh_token=${token}`,
  });
  tokensIn(answer);
  const target = `${club.paths.login}?response_type=code&client_id=${club.client.id}`;
  const named = 'programme-identifier=SecondClub&business-context-identifier=PartnerContext';
  const sent = `POST ${target}&${named} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  assert.match(await rawExchange(club.url, sent), /^HTTP\/1\.1 303 /);
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
