// The names of scopes on the wire, where a refusal names its parameter or a request says one twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tokenExchange } from '../../src/oauth/grant.ts';
import { introspect } from '../support/gateway.ts';
import { startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
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

/** A dialect whose token requests and logins read a list of scopes, with every grant that takes one. */
const lists = `variant: grant
name: Some Club
programme_identifier: SomeClub
base_path: /some
authorize: { endpoint: { inputs: { scope: {} } } }
token_endpoints: { grant: { read: [form, json], inputs: { scope: {}, username: {}, password: {}, subject_token: {} } } }
grants:
  password: { endpoint: grant, role: member }
  token_exchange: { endpoint: grant, role: member }
scope: { kind: list, values: [read, write], client: null, member_default: null }
introspection: { path: /introspect }
token_response: { fields: [{ access_token: access_token }, { refresh_token: refresh_token }, { scope: scope }] }
`;

type Told = Readonly<Record<'access_token' | 'refresh_token' | 'scope', string>>;

test('HOSTILE 87: a scope named twice is one, in every grant, its answer and what is kept of it', async (t) => {
  const jetway = await startJetway(t, { programmes: { 'some-club': lists } });
  const client = await jetway.addClient({ programme: 'some-club', id: 'partnerapi-12345' });
  const member = await jetway.addMember({ programme: 'some-club' });
  const authorization = client.basic;
  const told = async (fields: Readonly<Record<string, string>>): Promise<Told> => {
    const { status, body } = await post(jetway.url, '/some/api/grant', fields, { authorization });
    assert.equal(status, 200, body);
    return JSON.parse(body) as Told;
  };
  const own = await told({ grant_type: 'client_credentials', scope: 'write write' });
  assert.equal(own.scope, 'write');
  const query = { client_id: client.id, response_type: 'code', scope: 'read write read' };
  const target = `/some/auth/login?${new URLSearchParams(query).toString()}`;
  const { headers } = await submitLogin(jetway.url, await openLogin(jetway.url, target), member);
  const code = new URL(headers['location'] ?? '').searchParams.get('code') ?? '';
  const login = await told({ grant_type: 'authorization_code', code });
  assert.equal(login.scope, 'read write');
  const refresh = { grant_type: 'refresh_token', refresh_token: login.refresh_token };
  const less = await told({ ...refresh, scope: 'read read read' });
  assert.equal(less.scope, 'read');
  const all = await told({ ...refresh, refresh_token: less.refresh_token });
  assert.equal(all.scope, 'read write');
  const exchange = { grant_type: tokenExchange, subject_token: all.access_token };
  assert.equal((await told({ ...exchange, scope: 'write write' })).scope, 'write');
  const { username, password } = member;
  const fields = { grant_type: 'password', username, password, scope: 'write write read' };
  assert.equal((await told(fields)).scope, 'write read');
  const json = await ask(jetway.url, '/some/api/grant', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"grant_type":"client_credentials","scope":["read","read"]}',
  });
  assert.equal((JSON.parse(json.body) as Told).scope, 'read');
  const kept = await introspect(jetway, 'some', authorization, all.access_token);
  assert.equal((JSON.parse(kept.body) as Told).scope, 'read write');
});
