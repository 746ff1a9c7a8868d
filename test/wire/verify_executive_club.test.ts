// Owns the verify endpoint of the executive club on the wire: modes, keys, levels, what is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import {
  type Club,
  openClub,
  partnerTokenOf,
  programme,
  refused,
  tokensOfLogin,
} from '../support/club.ts';
import { giveApiKey, passed, type Shown, verify } from '../support/gateway.ts';
import { type Answer, ask } from '../support/wire.ts';

const plain = { 'www-authenticate': 'Bearer realm="Executive Club"' };

const invalidToken = refused(
  401,
  { error: 'invalid_token' },
  { 'www-authenticate': 'Bearer error="invalid_token"' },
);

const insufficient = refused(
  403,
  { error: 'insufficient_scope' },
  { 'www-authenticate': 'Bearer error="insufficient_scope"' },
);

const invalidKey = refused(401, { error: 'invalid_client' }, plain);

const missingToken = refused(
  401,
  { error: 'invalid_request', error_description: 'authorization header is missing' },
  plain,
);

const missingKey = refused(
  401,
  { error: 'invalid_client', error_description: 'x-api-key header is missing' },
  plain,
);

function asked(club: Club, target: string, request: Shown): Promise<Answer> {
  return verify(club, programme, target, request);
}

const memberFacts = {
  programme,
  kind: 'member',
  'client-id': 'partnerapi-12345',
  subject: 'subject-of-ann',
  scope: 'AUTHN-LEVEL-10',
  level: 'AUTHN-LEVEL-10',
  // 2026-01-02T03:34:05Z
  expires: '1767324845',
};

test('C-4: a member’s token passes where a member is asked for, and nowhere else', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts));
  assert.deepEqual(await asked(club, 'client', { token }), insufficient);
  assert.deepEqual(await asked(club, 'none', { token }), missingKey);
});

test('C-4: a client’s own token passes where a client is asked for, and nowhere else', async (t) => {
  const club = await openClub(t);
  const token = await partnerTokenOf(club);
  const facts = {
    programme,
    kind: 'client',
    'client-id': 'partnerapi-12345',
    subject: 'client:partnerapi-12345',
    scope: 'AUTHN-LEVEL-15',
    level: 'AUTHN-LEVEL-15',
    expires: '1767324845',
  };
  assert.deepEqual(await asked(club, 'client', { token }), passed(facts));
  assert.deepEqual(await asked(club, 'member', { token }), insufficient);
});

test('C-4: an API key passes where nothing else is asked for', async (t) => {
  const club = await openClub(t);
  const apiKey = await giveApiKey(club, programme, club.client.id);
  const facts = { programme, kind: 'none', 'client-id': 'partnerapi-12345' };
  assert.deepEqual(await asked(club, 'none', { apiKey }), passed(facts));
  assert.deepEqual(await asked(club, 'member', { apiKey }), missingToken);
  assert.deepEqual(await asked(club, 'client', { apiKey }), missingToken);
  assert.deepEqual(await asked(club, 'none', {}), missingKey);
  for (const wrong of ['jw_staging_unknown', 'x'.repeat(2000), `${apiKey}x`]) {
    assert.deepEqual(await asked(club, 'none', { apiKey: wrong }), invalidKey, wrong);
  }
});

test('C-4: a key beside a token must be the same client’s', async (t) => {
  const club = await openClub(t);
  const another = await club.addClient({ id: 'partnerapi-54321' });
  const own = await giveApiKey(club, programme, club.client.id);
  const foreign = await giveApiKey(club, programme, another.id);
  const { access_token: token } = await tokensOfLogin(club);
  assert.deepEqual(await asked(club, 'member', { token, apiKey: own }), passed(memberFacts));
  for (const mode of ['member', 'none']) {
    assert.deepEqual(await asked(club, mode, { token, apiKey: foreign }), invalidKey);
    assert.deepEqual(await asked(club, mode, { token: 'no-token', apiKey: own }), invalidToken);
  }
  const passes = await asked(club, 'none', { token, apiKey: own });
  assert.deepEqual(passes, passed({ programme, kind: 'none', 'client-id': club.client.id }));
});

test('C-5: API keys are two while one is rotated out, and end when their time does', async (t) => {
  const club = await openClub(t);
  const old = await giveApiKey(club, programme, club.client.id, 'old-key', 60);
  const fresh = await giveApiKey(club, programme, club.client.id, 'new-key');
  assert.equal((await asked(club, 'none', { apiKey: old })).status, 200);
  assert.equal((await asked(club, 'none', { apiKey: fresh })).status, 200);
  club.clock.advance(60);
  assert.deepEqual(await asked(club, 'none', { apiKey: old }), invalidKey);
  assert.equal((await asked(club, 'none', { apiKey: fresh })).status, 200);
});

test('any method is answered, HEAD with headers alone, and the path after the mode is ignored', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const headers = { authorization: `Bearer ${token}` };
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    for (const rest of ['', '/', '/api/x?y=1', '//a/%2f/../b;c', '/client', '/verify/none']) {
      const target = `/executive-club/verify/member${rest}`;
      const answer = await ask(club.url, target, { method, headers });
      assert.deepEqual(answer, passed(memberFacts), `${method} ${target}`);
    }
  }
  const body = 'x'.repeat(200_000);
  const target = '/executive-club/verify/member/upload';
  const sent = await ask(club.url, target, { method: 'POST', headers, body });
  assert.deepEqual(sent, passed(memberFacts));
});

test('C-4: no header changes the mode', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const mode = { authorization: `Bearer ${token}`, 'x-auth-mode': 'member', 'x-mode': 'member' };
  const answer = await ask(club.url, '/executive-club/verify/client', { headers: mode });
  assert.deepEqual(answer, insufficient);
});

test('RFC 6750 3.1: a request without a token is told of no error', async (t) => {
  const club = await openClub(t);
  const headers = [{}, { authorization: '' }, { authorization: club.client.basic }];
  for (const given of headers) {
    const answer = await ask(club.url, '/executive-club/verify/member', { headers: given });
    assert.deepEqual(answer, missingToken);
  }
});

test('G-13: what is no good token is answered invalid_token, whatever it is', async (t) => {
  const club = await openClub(t);
  const tokens = await tokensOfLogin(club);
  const wrong = [
    'unknown',
    tokens.refresh_token,
    `${tokens.access_token}x`,
    tokens.access_token.toUpperCase(),
    `a.${tokens.access_token}`,
    'a.b.c',
    'x'.repeat(40_000),
    'é',
    'a b',
    ',',
    '',
  ];
  for (const token of wrong) {
    const headers = { authorization: Buffer.from(`Bearer ${token}`).toString('latin1') };
    const answer = await ask(club.url, '/executive-club/verify/member', { headers });
    assert.deepEqual(answer, invalidToken, token);
  }
  const target = '/executive-club/verify/member';
  const { access_token: token } = tokens;
  for (const pair of [
    [token, 'x'],
    ['x', token],
    [token, token],
  ]) {
    const headers = { authorization: pair.map((one) => `Bearer ${one}`) };
    assert.deepEqual(await ask(club.url, target, { headers }), invalidToken);
  }
  const lower = { authorization: `bearer  ${token}` };
  const answer = await ask(club.url, target, { headers: lower });
  assert.deepEqual(answer, passed(memberFacts));
});

test('G-13 G-23: a token is invalid 30 minutes after it was issued', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  club.clock.advance(1799.999);
  assert.deepEqual(await asked(club, 'member', { token }), passed(memberFacts));
  club.clock.advance(0.001);
  assert.deepEqual(await asked(club, 'member', { token }), invalidToken);
});

test('a disabled client is refused at once, by token and by key', async (t) => {
  const club = await openClub(t);
  const apiKey = await giveApiKey(club, programme, club.client.id);
  const { access_token: member } = await tokensOfLogin(club);
  const client = await partnerTokenOf(club);
  const setStatus = (status: 'active' | 'disabled') =>
    club.store.change('client', programme, club.client.id as ClientId, (c) => ({ ...c, status }));
  await setStatus('disabled');
  assert.deepEqual(await asked(club, 'member', { token: member }), invalidToken);
  assert.deepEqual(await asked(club, 'client', { token: client }), invalidToken);
  assert.deepEqual(await asked(club, 'none', { apiKey }), invalidKey);
  await setStatus('active');
  assert.equal((await asked(club, 'member', { token: member })).status, 200);
  await club.store.revokeAll(programme, { client: club.client.id as ClientId });
  assert.deepEqual(await asked(club, 'member', { token: member }), invalidToken);
  assert.deepEqual(await asked(club, 'client', { token: client }), invalidToken);
});

test('what is known of client and member is told, spelled so that no header breaks', async (t) => {
  const club = await openClub(t);
  await club.addMember({
    username: 'zoë',
    level: 'AUTHN-LEVEL-12',
    membershipNumber: '1234567890123456',
  });
  await club.store.change('client', programme, club.client.id as ClientId, (before) => ({
    ...before,
    businessContext: 'Über 100%\r\nX-Auth-Kind: client ',
    partnerId: 'Partner000001',
  }));
  const member = { username: 'zoë', password: club.member.password, subject: '' };
  const tokens = await tokensOfLogin({ ...club, member });
  const { access_token: token } = tokens;
  const expected = passed({
    ...memberFacts,
    subject: 'subject-of-zo%C3%AB',
    context: '%C3%9Cber 100%25%0D%0AX-Auth-Kind: client%20',
    'partner-id': 'Partner000001',
    'membership-number': '1234567890123456',
    scope: 'AUTHN-LEVEL-12',
    level: 'AUTHN-LEVEL-12',
  });
  assert.deepEqual(await asked(club, 'member', { token }), expected);
  assert.deepEqual(await asked(club, 'member', { token }), expected);
});
