// What a client may do is asked when it is done, not only when it began.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { post } from '../support/wire.ts';

const grant = '/executive-club/api/grant';

test('G-12: a partner token carries level 15, whatever level is asked for', async (t) => {
  const jetway = await startJetway(t);
  const { basic: authorization } = await jetway.addClient();
  for (const [scope, status] of [
    ['AUTHN-LEVEL-15', 200],
    ['AUTHN-LEVEL-12', 400],
    ['AUTHN-LEVEL-99', 400],
  ] as const) {
    const fields = { grant_type: 'client_credentials', scope };
    const answer = await post(jetway.url, grant, fields, { authorization });
    assert.equal(answer.status, status, scope);
    const expected = status === 200 ? /"scope":"AUTHN-LEVEL-15"/ : /^\{"error":"invalid_scope"\}$/;
    assert.match(answer.body, expected);
  }
});

test('G-22: a client that loses its role while a member logs in gets access_denied, not a code', async (t) => {
  const jetway = await startJetway(t);
  const client = await jetway.addClient();
  const member = await jetway.addMember();
  const target = `/executive-club/auth/login?client_id=${client.id}&response_type=code&state=s1`;
  const login = await openLogin(jetway.url, target);
  await jetway.store.change(
    'client',
    'executive-club' as ProgrammeId,
    client.id as ClientId,
    (before) => ({ ...before, roles: ['partner'] }),
  );
  const answer = await submitLogin(jetway.url, login, member);
  assert.equal(answer.status, 302);
  assert.equal(answer.headers['location'], `${client.redirectUri}?error=access_denied&state=s1`);
});

test('HOSTILE 38: an identifier that cannot be decoded is malformed, not unknown', async (t) => {
  const jetway = await startJetway(t);
  const authorization = `Basic ${Buffer.from('partnerapi-%zz:a').toString('base64')}`;
  const fields = { grant_type: 'client_credentials' };
  const answer = await post(jetway.url, grant, fields, { authorization });
  assert.deepEqual([answer.status, answer.body], [400, '{"error":"invalid_client"}']);
});
