// Owns the verify endpoint of the executive club where a transcript (verify.transcript) says too little: keys
// that end, bodies, odd bytes, and names that no header can hold.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import { type Club, openClub, programme, refused, tokensOfLogin } from '../support/club.ts';
import { giveApiKey, passed, type Shown, verify } from '../support/gateway.ts';
import { type Answer, ask } from '../support/wire.ts';

const plain = { 'www-authenticate': 'Bearer realm="Executive Club"' };

const invalidToken = refused(
  401,
  { error: 'invalid_token' },
  { 'www-authenticate': 'Bearer error="invalid_token"' },
);

const invalidKey = refused(401, { error: 'invalid_client' }, plain);

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

test('a body is let be', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  const headers = { authorization: `Bearer ${token}` };
  const target = '/executive-club/verify/member/upload';
  const sent = await ask(club.url, target, { method: 'POST', headers, body: 'x'.repeat(200_000) });
  assert.deepEqual(sent, passed(memberFacts));
});

test('G-13: a token of odd bytes or great length is no good one', async (t) => {
  const club = await openClub(t);
  const { access_token: token } = await tokensOfLogin(club);
  for (const wrong of [token.toUpperCase(), 'x'.repeat(40_000), 'é']) {
    const headers = { authorization: Buffer.from(`Bearer ${wrong}`).toString('latin1') };
    const answer = await ask(club.url, '/executive-club/verify/member', { headers });
    assert.deepEqual(answer, invalidToken, wrong);
  }
});

test('C-4: an API key of great length is no good one', async (t) => {
  const club = await openClub(t);
  assert.deepEqual(await asked(club, 'none', { apiKey: 'x'.repeat(2000) }), invalidKey);
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
