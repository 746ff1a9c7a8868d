// Tests of checks across keys where a null takes a key of the variant away. Others: faults.cases.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadProgramme } from '../../../src/programme/language/load.ts';
import { errorsOf } from '../../support/definition.ts';
import { shippedProgramme } from '../../support/jetway.ts';

/** Errors of a file over the variant, in which a null takes a key of the variant away. */
function errorsIn(text: string): readonly string[] {
  const head = 'variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\n';
  const { faults: found } = loadProgramme('club.yaml', head + text);
  const errors = found.filter(({ severity }) => severity === 'error');
  return errors.map(({ path, message }) => `${path}: ${message}`);
}

test('inputs that a grant or the login needs must be there', () => {
  const text = `token_endpoints: { grant: { inputs: { code: null, code_verifier: null } } }
authorize: { endpoint: { inputs: { redirect_uri: null } } }
`;
  assert.deepEqual(errorsIn(text), [
    'token_endpoints.grant.inputs: the grant authorization_code needs an input "code" here',
    'authorize.pkce: a challenge is accepted here, but the token endpoint grant reads no code_verifier',
    'authorize.endpoint.inputs: the login request needs an input "redirect_uri"',
  ]);
});

test('clients that may authenticate by certificate must name themselves (RFC 8705)', () => {
  const methods = (names: string): string =>
    `client: { authentication: { credentials: form, methods: [${names}] } }\n`;
  const fault =
    'token_endpoints.grant.inputs: authentication by certificate needs an input "client_id" here';
  const nameless = 'token_endpoints: { grant: { inputs: { client_id: null } } }\n';
  for (const names of ['basic, tls_client_auth', 'self_signed_tls_client_auth']) {
    assert.deepEqual(errorsIn(methods(names) + nameless), [fault]);
    assert.deepEqual(errorsIn(methods(names)), []);
  }
});

test('without grant_type an endpoint serves one grant; without grants a programme none', () => {
  assert.deepEqual(errorsIn('token_endpoints: { grant: { inputs: { grant_type: null } } }'), [
    'token_endpoints.grant.inputs: authorization_code and refresh_token and client_credentials need an input "grant_type" to be told apart',
  ]);
  const idle = 'authorization_code: null, refresh_token: null, client_credentials: null';
  assert.deepEqual(errorsIn(`grants: { ${idle} }`), [
    'token_endpoints.grant: no grant is served at the token endpoint "grant"',
    'grants: a programme needs at least one grant',
  ]);
});

test('the shipped file has no fault, and each fault stands at its key', () => {
  assert.deepEqual(errorsOf(), []);
  const text = shippedProgramme('executive-club', 'code: { lifetime: 11m }');
  const [fault] = loadProgramme('executive-club.yaml', text).faults;
  assert.match(text.split('\n')[(fault?.at.line ?? 0) - 1] ?? '', /lifetime: 11m/);
});
