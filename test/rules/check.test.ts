// Tests of checks across keys: each overlay breaks one promise, and exactly that is told.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { loadProgramme } from '../../src/rules/load.ts';
import { errorsOf, overlays } from '../support/definition.ts';
import { shippedProgramme } from '../support/jetway.ts';

/** YAML laid over the executive club, and the errors that must come of it. */
const faults = overlays(`
grants: { client_credentials: { endpoint: grants } }
  grants.client_credentials.endpoint: there is no token endpoint "grants"
grants: { client_credentials: { endpoint: [grant, grants] } }
  grants.client_credentials.endpoint.1: there is no token endpoint "grants"
grants: { refresh_token: { endpoint: [grant, other] } }
token_endpoints: { other: { path: /other, methods: [POST], inputs: { code: {} } } }
  token_endpoints.other.inputs: the grant refresh_token needs an input "refresh_token" here
token_endpoints: { grant: { inputs: { code: { name: x }, refresh_token: { name: x } } } }
  token_endpoints.grant.inputs.refresh_token: "code" is read from the form "x" already
token_endpoints: { grant: { path: /auth/login, methods: [GET, POST], read: [query, form] } }
  token_endpoints.grant.path: /auth/login is the path of the login request already
token_endpoints: { grant: { path: /login } }
  token_endpoints.grant.path: /login is the path of the login page already
token_endpoints: { grant: { path: /.well-known/jwks.json } }
  token_endpoints.grant.path: /.well-known/jwks.json is the path of the key set already
authorize: { endpoint: { path: /login } }
  authorize.endpoint.path: /login is the path of the login page already
token_endpoints: { other: { path: /other, methods: [POST], inputs: { code: {} } } }
  token_endpoints.other: no grant is served at the token endpoint "other"
grants: { client_credentials: { grant_type: refresh_token } }
  grants.refresh_token: client_credentials has the grant_type "refresh_token" already
token_endpoints: { grant: { inputs: { code: { in: json } } } }
  token_endpoints.grant.inputs.code.in: this endpoint reads its body as form, so no input can be read as json
authorize: { endpoint: { read: form, methods: [POST] } }
  authorize.endpoint.read: a login request is read from the query
token_endpoints: { grant: { inputs: { code: { characters: digits } } } }
  token_endpoints.grant.inputs.code.characters: this refuses codes of the shape in code
token_endpoints: { grant: { inputs: { client_id: { length: 4 } } } }
  token_endpoints.grant.inputs.client_id.length: this refuses identifiers of the shape in client.identifier
authorize: { endpoint: { inputs: { client_id: { characters: letters } } } }
  authorize.endpoint.inputs.client_id.characters: this refuses identifiers of the shape in client.identifier
token_endpoints: { grant: { inputs: { grant_type: { allowed: [refresh_token, client_credentials] } } } }
  token_endpoints.grant.inputs.grant_type.allowed: this refuses "authorization_code", the grant_type of authorization_code
client: { identifier: { length: 250..300 } }
  client.identifier: an identifier can have 255 characters at most
authorize: { endpoint: { repeated: last, empty: value, inputs: { state: { when_invalid: server_error } } } }
  authorize.endpoint.repeated: a login request never takes a repeated parameter (HOSTILE 4)
  authorize.endpoint.empty: a login request always takes an empty parameter for a missing one
  authorize.endpoint.inputs.state.when_invalid: this has no effect at the login request
sandbox: { header: x-api-key }
  sandbox.header: verify.api_key_header has this name already
sandbox: { header: X-Fail, parameter: fail }
token_endpoints: { grant: { inputs: { note: { name: fail }, one: { in: header, name: x-fail } } } }
  sandbox.header: token_endpoints.grant.inputs.one has this name already
  sandbox.parameter: token_endpoints.grant.inputs.note has this name already
sandbox: { parameter: fail }
authorize: { endpoint: { inputs: { fail: {} } } }
  sandbox.parameter: authorize.endpoint.inputs.fail has this name already
sandbox: { parameter: token_type_hint }
  sandbox.parameter: another parameter has this name already
sandbox: { parameter: level }
  sandbox.parameter: another parameter has this name already
sandbox: { parameter: code_verifier }
  sandbox.parameter: token_endpoints.grant.inputs.code_verifier has this name already
sandbox: { header: Authorization }
  sandbox.header: this header has a meaning already: a name such as X-Sandbox-Failure is free
sandbox: { header: x-forwarded-for }
  sandbox.header: this header has a meaning already: a name such as X-Sandbox-Failure is free
sandbox: { header: Content-Type }
  sandbox.header: this header is not for a dialect to set
sandbox: {}
  sandbox: expected a header, a parameter or both: where would a request name its failure?
token_response: { fields: { account: { constant: 9007199254740993 } } }
  token_response.fields.account.constant: a number this large would change when it is read: write it in quotes
code: { length: 2000 }
  code: a code can have 1024 characters at most
scope: { kind: list, values: [a, "b,c"], separator: ",", client: null, member_default: null }
authorize: { endpoint: { inputs: { scope: {} } } }
  scope.values.1: "b,c" holds the separator ",", or a part of it
# HOSTILE 69: the default programme would answer, whose it is not.
selector: { input: club }
authorize: { endpoint: { inputs: { club: { must_equal: programme.identifier } } } }
token_endpoints: { grant: { repeated: last, inputs: { club: { in: query, must_equal: programme.identifier } } } }
  token_endpoints.grant.repeated: if the selector comes twice in the query, it chooses no programme
selector: { input: club }
authorize: { endpoint: { inputs: { club: {} } } }
token_endpoints: { grant: { inputs: { club: { in: form, must_equal: programme.identifier } } } }
  authorize.endpoint.inputs.club: the selector must be compared with programme.identifier
  token_endpoints.grant.inputs.club: a selector is read from a header or the query
selector: { input: brand }
  authorize.endpoint.inputs: the selector "brand" is not an input here
  token_endpoints.grant.inputs: the selector "brand" is not an input here
# HOSTILE 58: a floor would look for the first of the two, and a token for the last.
scope: { values: [AUTHN-LEVEL-12, AUTHN-LEVEL-10, AUTHN-LEVEL-15, AUTHN-LEVEL-12] }
  scope.values.3: "AUTHN-LEVEL-12" stands in this list already
errors: { groups: [{ reasons: [throttled, invalid_code, throttled], status: 400 }] }
  errors.groups.0.reasons.2: "throttled" stands in this list already
token_endpoints: { grant: { methods: [POST, POST], read: [form, form], inputs: { grant_type: { allowed: [x, x] } } } }
  token_endpoints.grant.methods.1: "POST" stands in this list already
  token_endpoints.grant.read.1: "form" stands in this list already
  token_endpoints.grant.inputs.grant_type.allowed.1: "x" stands in this list already
grants: { refresh_token: { endpoint: [grant, grant] } }
  grants.refresh_token.endpoint.1: "grant" stands in this list already
scope: { client: AUTHN-LEVEL-99 }
  scope.client: "AUTHN-LEVEL-99" is none of the levels in scope.values
scope: { member_default: LOW }
  scope.member_default: "LOW" is none of the levels in scope.values
code: { length: 31 }
  code: a code of this shape has 124 random bits; RFC 6749 10.10 asks for 128
code: { length: 32 }
  none
client: { identifier: { length: 3 } }
  client.identifier: this shape has too few identifiers
client: { identifier: { characters: visible }, authentication: { credentials: either } }
  client.identifier: if both encodings are taken, identifiers with "%", "+" or a space are ambiguous
  client.identifier: in a raw header, an identifier with ":" ends at the ":" (RFC 7617 2)
client: { identifier: { characters: visible }, authentication: { credentials: raw } }
  client.identifier: in a raw header, an identifier with ":" ends at the ":" (RFC 7617 2)
client: { identifier: { characters: visible }, authentication: { credentials: form } }
  none
client: { identifier: { prefix: "club:" } }
  client.identifier: in a raw header, an identifier with ":" ends at the ":" (RFC 7617 2)
tokens: { refresh: { lifetime: 31d } }
  tokens.refresh.lifetime: a refresh token cannot live longer than tokens.refresh.longest
tokens: { refresh: { lifetime: 30d } }
  none
code: { lifetime: 601s }
  code.lifetime: a code may live 10m at most (RFC 6749 4.1.2)
code: { lifetime: 10m }
  none
tokens: { refresh: { grace: 3601s } }
  tokens.refresh.grace: a grace window may be 1h at most
tokens: { refresh: { grace: 0s } }
  none
tokens: { refresh: { rotation: off, format: jwt } }
  tokens.refresh.rotation: with rotation: off each use moves the end of a refresh token, and a JWT cannot change its exp
tokens: { refresh: { rotation: off, format: jwt, lifetime: 30d } }
  none
grants: { refresh_token: { refresh_token: on } }
  grants.refresh_token.refresh_token: tokens.refresh.rotation says which refresh token a refresh is answered with
grants: { refresh_token: null, client_credentials: { refresh_token: on } }
  grants.client_credentials.refresh_token: a refresh token is of no use here: there is no grant refresh_token
token_response: { fields: { access_token: refresh_token } }
  token_response.fields: the answer to authorization_code does not hold the access_token
  token_response.fields: the answer to refresh_token does not hold the access_token
  token_response.fields: the answer to client_credentials does not hold the access_token
token_response: { fields: { access_token: refresh_token, a: { object: { b: { array: [access_token] } } } } }
  none
token_response: { fields: { access_token: { value: access_token, only: [authorization_code, refresh_token] } } }
  token_response.fields: the answer to client_credentials does not hold the access_token
token_response: { name_case: upper, fields: { ACCESS_TOKEN: { constant: x } } }
  token_response.fields: two members are named "ACCESS_TOKEN" once name_case is applied
authorize: { answer: { code: x, error: x } }
  authorize.answer: two parameters of the redirect have the same name
tokens: { access: { claims: { sub: client_id, at: access_token } } }
  tokens.access.claims: a token cannot hold the access_token
  tokens.access.claims.sub: Jetway sets the claim "sub" itself
grants: { authorization_code: { endpoint: constructor } }
  grants.authorization_code.endpoint: there is no token endpoint "constructor"
`);

for (const [over, errors] of faults) {
  test(`${errors.length === 0 ? 'allowed' : 'refused'}: ${over}`, () => {
    assert.deepEqual(errorsOf(over), errors);
  });
}

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
