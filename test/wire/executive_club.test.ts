// The executive club's grants on the wire: whole answers of the grant endpoint (G-2, G-9 to G-12).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askTokens,
  codeFor,
  invalidCode,
  isLive,
  jsonHeaders,
  openClub,
  paths,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { ask } from '../support/wire.ts';

const opaque = '[0-9a-f]{11}\\.[\\w-]{43}';

/** A token response for a member, to the byte but for the tokens. */
const memberBody = new RegExp(
  `^\\{"access_token":"${opaque}","refresh_token":"${opaque}","scope":"AUTHN-LEVEL-10",` +
    `"token_type":"bearer","expires_in":1800,"ba_refresh_expires_in":86400\\}$`,
);

test('G-2: a code has 64 lower-case hex characters, and never the same', async (t) => {
  const club = await openClub(t);
  const codes = [await codeFor(club), await codeFor(club)];
  for (const code of codes) assert.match(code, /^[0-9a-f]{64}$/);
  assert.equal(new Set(codes).size, 2);
});

test('G-10 G-11 C-10: authorization_code answers with all six fields', async (t) => {
  const club = await openClub(t);
  const answer = await redeem(club, await codeFor(club));
  assert.deepEqual({ ...answer, body: '' }, { status: 200, headers: jsonHeaders, body: '' });
  assert.match(answer.body, memberBody);
  assert.equal(await isLive(club, tokensIn(answer).access_token), true);
});

test('G-10 G-11 C-10: refresh_token answers with the same fields and new tokens', async (t) => {
  const club = await openClub(t);
  const first = await tokensOfLogin(club);
  const answer = await refresh(club, first.refresh_token);
  assert.deepEqual({ ...answer, body: '' }, { status: 200, headers: jsonHeaders, body: '' });
  assert.match(answer.body, memberBody);
  const second = tokensIn(answer);
  const all = [first, second].flatMap((one) => [one.access_token, one.refresh_token]);
  assert.equal(new Set(all).size, 4);
  assert.equal(await isLive(club, second.access_token), true);
  const third = tokensIn(await refresh(club, second.refresh_token));
  assert.notEqual(third.refresh_token, second.refresh_token);
});

test('G-10 G-11 G-12 C-10: client_credentials has level 15 and no refresh fields', async (t) => {
  const club = await openClub(t);
  const answer = await askTokens(club, { grant_type: 'client_credentials' });
  assert.deepEqual({ ...answer, body: '' }, { status: 200, headers: jsonHeaders, body: '' });
  assert.match(
    answer.body,
    new RegExp(
      `^\\{"access_token":"${opaque}","scope":"AUTHN-LEVEL-15","token_type":"bearer","expires_in":1800\\}$`,
    ),
  );
  const { access_token: token } = tokensIn(answer);
  assert.equal(await isLive(club, token), true);
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

test('G-9: a charset may stand beside the media type, another type is refused', async (t) => {
  const club = await openClub(t);
  const send = (type: string | undefined, body = 'grant_type=client_credentials') =>
    ask(club.url, paths.grant, {
      method: 'POST',
      headers: {
        authorization: club.client.basic,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body,
    });
  for (const type of [
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'application/x-www-form-urlencoded; charset="utf-8"',
    'application/x-www-form-urlencoded; charset=ISO-8859-1',
    'application/x-www-form-urlencoded;charset="iso-8859-15"',
    'application/x-www-form-urlencoded; charset=US-ASCII',
    'Application/X-WWW-Form-URLEncoded ; Charset=utf-8',
  ]) {
    assert.equal((await send(type)).status, 200, type);
  }
  const refusal = refused(400, {
    error: 'invalid_request',
    error_description: 'Content-Type must be application/x-www-form-urlencoded',
  });
  assert.deepEqual(await send('application/json', '{"grant_type":"client_credentials"}'), refusal);
  assert.deepEqual(await send('text/plain'), refusal);
  assert.deepEqual(await send(undefined), refusal);
});

test('G-9: parameters that no dialect knows are ignored', async (t) => {
  const club = await openClub(t);
  const fields = { grant_type: 'client_credentials', resource: 'x', code: 'x', refresh_token: 'y' };
  assert.equal((await askTokens(club, fields)).status, 200);
});

test('G-2: a code is good for one use and for less than two minutes', async (t) => {
  const club = await openClub(t);
  const code = await codeFor(club);
  club.clock.advance(119.999);
  tokensIn(await redeem(club, code));
  assert.deepEqual(await redeem(club, code), invalidCode);
  const late = await codeFor(club);
  club.clock.advance(120);
  assert.deepEqual(await redeem(club, late), invalidCode);
});

test('G-2: the redirect URI may be sent with the code, and then must be the same', async (t) => {
  const club = await openClub(t);
  const code = await codeFor(club);
  const other = { redirect_uri: `${club.client.redirectUri}/` };
  assert.deepEqual(await redeem(club, code, other), invalidCode);
  tokensIn(await redeem(club, code, { redirect_uri: club.client.redirectUri }));
});
