// The names of scopes on the wire, where a refusal names its parameter.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startJetway } from '../support/jetway.ts';
import { ask, post } from '../support/wire.ts';

test('a scope is refused by the name that it has on the wire', async (t) => {
  const yaml = `variant: grant
name: Some Club
programme_identifier: SomeClub
base_path: /some
authorize: { endpoint: { inputs: { scope: { name: rights } } }, answer: { more: { named: parameter } } }
token_endpoints: { grant: { inputs: { scope: { name: permissions } } } }
scope: { kind: list, values: [read], client: null, member_default: null }
errors: { reasons: { invalid_scope: { status: 400, error: invalid_scope, error_description: "wrong {parameter}" } } }
`;
  const jetway = await startJetway(t, { programmes: { 'some-club': yaml } });
  const client = await jetway.addClient({ programme: 'some-club', id: 'partnerapi-12345' });
  const answer = await post(
    jetway.url,
    '/some/api/grant',
    { grant_type: 'client_credentials', permissions: 'write' },
    { authorization: client.basic },
  );
  assert.deepEqual(JSON.parse(answer.body), {
    error: 'invalid_scope',
    error_description: 'wrong permissions',
  });
  const query = new URLSearchParams({
    client_id: client.id,
    response_type: 'code',
    rights: 'write',
  }).toString();
  const { headers } = await ask(jetway.url, `/some/auth/login?${query}`);
  assert.match(headers['location'] ?? '', /named=rights$/);
});

test('a plus between scopes is told as one, also where a form has turned it into a space', async (t) => {
  const yaml = `variant: grant
name: Some Club
programme_identifier: SomeClub
base_path: /some
token_endpoints: { grant: { inputs: { scope: {} } } }
authorize: { endpoint: { inputs: { scope: {} } } }
scope: { kind: list, values: [read, write], separator: +, client: null, member_default: null }
token_response: { fields: [{ access_token: access_token }, { scope: scope }] }
`;
  const jetway = await startJetway(t, { programmes: { 'some-club': yaml } });
  const client = await jetway.addClient({ programme: 'some-club', id: 'partnerapi-12345' });
  for (const scope of ['read write', 'read+write']) {
    const fields = { grant_type: 'client_credentials', scope };
    const answer = await post(jetway.url, '/some/api/grant', fields, {
      authorization: client.basic,
    });
    assert.equal((JSON.parse(answer.body) as { scope: string }).scope, 'read+write');
  }
});
