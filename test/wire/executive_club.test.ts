// The executive club on the wire: its document's promises, whole answers compared.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJetway } from '../support/jetway.ts';
import { logIn } from '../support/login.ts';
import { post } from '../support/wire.ts';

const json = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  pragma: 'no-cache',
};

test('G-10 G-11 G-12: each grant answers with the fields of its list', async (t) => {
  const jetway = await startJetway(t);
  const client = await jetway.addClient();
  const member = await jetway.addMember({ level: 'AUTHN-LEVEL-12' });
  const path = '/executive-club/api/grant';
  const headers = { authorization: client.basic };
  const code = await logIn(
    jetway.url,
    `/executive-club/auth/login?client_id=${client.id}&response_type=code`,
    member,
  );
  assert.match(code, /^[0-9a-f]{64}$/);
  const first = await post(jetway.url, path, { grant_type: 'authorization_code', code }, headers);
  assert.equal(first.status, 200);
  assert.deepEqual(first.headers, json);
  const tokens = JSON.parse(first.body) as Record<string, unknown>;
  assert.deepEqual(tokens, {
    access_token: tokens['access_token'],
    refresh_token: tokens['refresh_token'],
    scope: 'AUTHN-LEVEL-12',
    token_type: 'bearer',
    expires_in: 1800,
    ba_refresh_expires_in: 86_400,
  });
  const refreshed = await post(
    jetway.url,
    path,
    { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) },
    headers,
  );
  assert.equal(refreshed.status, 200);
  const partner = await post(jetway.url, path, { grant_type: 'client_credentials' }, headers);
  assert.equal(partner.status, 200);
});
