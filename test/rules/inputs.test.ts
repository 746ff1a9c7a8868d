// HOSTILE 58: slips of the pen that are told at their place: inputs that refuse what Jetway itself gives
// out or registers, and scopes of which a file says what nothing holds to.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { errorsOf, overlays } from '../support/definition.ts';

const api =
  'API keys that Jetway generates: jw_staging_ or jw_live_ and 43 characters of base64url';
const partners = 'partner ids that can be registered: 8 to 20 letters and digits (P-1)';
const contexts = 'business contexts that can be registered: 1 to 50 letters (P-1)';
const verifiers =
  'verifiers of PKCE: 43 to 128 letters, digits, "-", ".", "_" and "~" (RFC 7636 4.1)';
const refreshTokens = 'refresh tokens, which are "r" and 60 characters of base64url';
const secrets = 'secrets that Jetway generates: 43 characters of base64url';
const login = 'authorize: { endpoint';

/** HOSTILE 58: keys of an input that refuse what the service itself gives out, or takes elsewhere. */
const refusing: readonly (readonly [
  key: string,
  value: string,
  refused: string,
  within?: string,
])[] = [
  ['code.length', '63', 'codes of the shape in code'],
  ['code.prefix', 'c-', 'codes of the shape in code'],
  ['code.format', 'ip_list', 'codes of the shape in code'],
  ['code.allowed', '[x]', 'codes of the shape in code'],
  ['code.must_equal', 'client.id', 'codes of the shape in code: none of them is client.id'],
  ['refresh_token.characters', 'alphanumeric', refreshTokens],
  ['refresh_token.length', '1..60', refreshTokens],
  [
    'refresh_token.must_equal',
    'client.partner_id',
    `${refreshTokens}: none of them is client.partner_id`,
  ],
  ['code_verifier.characters', 'base64url', verifiers],
  ['code_verifier.length', '43', verifiers],
  ['code_verifier.length', '43..127', verifiers],
  ['client_secret.length', '1..42', secrets],
  ['client_secret.characters', 'alphanumeric', secrets],
  ['redirect_uri.length', '1..255', 'redirect URIs that can be registered'],
  ['redirect_uri.prefix', 'https://', 'redirect URIs that can be registered'],
  ['scope.allowed', '[AUTHN-LEVEL-10]', 'scopes that scope.values has'],
  ['scope.characters', 'letters', 'scopes that scope.values has'],
  ['client_id.allowed', '[partnerapi-12345]', 'identifiers of the shape in client.identifier'],
  [
    'client_id.must_equal',
    'client.api_key',
    'identifiers of the shape in client.identifier: none of them is client.api_key',
  ],
  ['key.length', '1..50, must_equal: client.api_key', api],
  ['partner.characters', 'digits, must_equal: client.partner_id', partners],
  ['context.length', '1..49, must_equal: client.business_context', contexts],
  [
    'club.length',
    '4, must_equal: programme.identifier',
    '"ExecutiveClub", the programme_identifier',
  ],
  [
    'code_challenge.length',
    '42',
    'challenges of PKCE: 43 characters of base64url (RFC 7636 4.2)',
    login,
  ],
  ['code_challenge_method.allowed', '[plain]', '"S256", the one method of PKCE', login],
  ['redirect_uri.characters', 'alphanumeric', 'redirect URIs that can be registered', login],
];

/** YAML laid over the executive club, and the errors that must come of it. */
const faults = [
  ...refusing.map(([key, value, refused, within = 'token_endpoints: { grant']) => {
    const [role = '', slip = ''] = key.split('.');
    const over = `${within}: { inputs: { ${role}: { ${slip}: ${value} } } } }`;
    const at = within.startsWith('authorize') ? 'authorize.endpoint' : 'token_endpoints.grant';
    return [over, [`${at}.inputs.${key}: this refuses ${refused}`]] as const;
  }),
  ...overlays(`
token_endpoints: { grant: { inputs: { grant_type: { must_equal: client.id }, partner: { length: 4, allowed: [good, bad], format: ip_list } } } }
  token_endpoints.grant.inputs.grant_type.must_equal: this refuses "authorization_code", the grant_type of authorization_code: none of them is client.id
  token_endpoints.grant.inputs.grant_type.must_equal: this refuses "refresh_token", the grant_type of refresh_token: none of them is client.id
  token_endpoints.grant.inputs.grant_type.must_equal: this refuses "client_credentials", the grant_type of client_credentials: none of them is client.id
  token_endpoints.grant.inputs.partner.allowed.0: this is allowed, and refused by the shape beside it
  token_endpoints.grant.inputs.partner.allowed.1: this is allowed, and refused by the shape beside it
  token_endpoints.grant.inputs.partner.format: nothing of this format has the shape beside it
token_endpoints: { grant: { inputs: { state: { allowed: [] } } } }
  token_endpoints.grant.inputs.state.allowed: expected at least one value that is taken
tokens: { refresh: { format: jwt } }
token_endpoints: { grant: { inputs: { refresh_token: { length: 55 } } } }
  token_endpoints.grant.inputs.refresh_token.length: this refuses refresh tokens, which are JWTs of 300 to 2400 characters
scope: { kind: list, values: [reset, read], restricted: [read, reste], client: null, member_default: null }
  scope.values: the login request reads no scope, so that tokens are not bound to what partners ask for
  scope.restricted.1: "reste" is none of the scopes in scope.values, so that nothing is restricted by it
scope: { kind: list, values: [], client: null, member_default: null }
  none
authorize: { endpoint: { inputs: { scope: {} } } }
scope: { kind: list, values: [read] }
token_endpoints: { grant: { inputs: { scope: null } } }
  scope.values: the grant client_credentials reads no scope, so that tokens are not bound to what partners ask for
scope: { kind: list, values: [read, write], default: read }
token_endpoints: { grant: { inputs: { scope: null } } }
  none
scope: { kind: list, values: [read], default: [read, wrte] }
  scope.default.1: "wrte" is none of the scopes in scope.values, so that no request could ask for it
scope: { kind: list, values: [read, write], separator: none, default: [read, write] }
  scope.default: with the separator none a token has one scope at most
scope: { kind: list, values: [read, write], default: [] }
  scope.default: expected at least one
scope: { kind: list, values: [a, "b,"], separator: ",,", default: a }
  scope.values.1: "b," holds the separator ",,", or a part of it
scope: { kind: list, values: [a, b], separator: "--x", default: a }
  scope.separator: expected one or two characters that are no letters or digits, as they are after decoding (" " for %20), or none
login: { brands: { Blue: { name: Blue } } }
authorize: { endpoint: { inputs: { brand: { allowed: [Green] } } } }
  authorize.endpoint.inputs.brand.allowed: this refuses brands that login.brands has
`),
];

for (const [over, errors] of faults) {
  test(`HOSTILE 58: ${errors.length === 0 ? 'allowed' : 'refused'}: ${over.replace('\n', ', ')}`, () => {
    assert.deepEqual(errorsOf(over), errors);
  });
}
