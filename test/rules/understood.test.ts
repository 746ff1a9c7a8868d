// Tests that an input which Jetway interprets allows nothing that can never succeed (HOSTILE 87).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { errorsOf, loadClub } from '../support/definition.ts';
import { anyText, fc } from '../support/property.ts';

const type = 'urn:ietf:params:oauth:token-type:';
const assertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const login = (input: string): string => `authorize: { endpoint: { inputs: { ${input} } } }`;
const tokens = (input: string): string => `token_endpoints: { grant: { inputs: { ${input} } } }`;
const list = (values: readonly string[]): string => `{ allowed: ${JSON.stringify(values)} }`;
const names =
  'scope: { kind: list, values: [read, write], default: read, client: null, member_default: null }\n';
const exchange =
  'grants: { token_exchange: { endpoint: grant, role: member } }\ntoken_endpoints: { grant: { inputs: { subject_token: {}, ROLE } } }';

/** A role, what its endpoint says, a value that is understood, those that are not, and what is. */
const cases: readonly (readonly [
  role: string,
  over: (input: string) => string,
  good: string,
  bad: readonly string[],
  words: string,
])[] = [
  ['code_challenge_method', login, 'S256', ['s256', 'plain', 'S512', ' S256'], 'S256 alone'],
  [
    'response_type',
    login,
    'code',
    ['token', 'id_token', 'code id_token', 'none', 'code token'],
    'code, or a word of the dialect for it',
  ],
  ['prompt', login, 'none', ['none login', 'login none', 'a none b'], 'none without another word'],
  [
    'scope',
    (input) => names + login(input),
    'read", "write", "read write',
    ['reed', 'read  write', 'READ'],
    'scopes of scope.values',
  ],
  [
    'scope',
    tokens,
    'AUTHN-LEVEL-10", "AUTHN-LEVEL-12", "AUTHN-LEVEL-15',
    ['AUTHN-LEVEL-11', 'authn-level-10'],
    'scopes of scope.values',
  ],
  [
    'grant_type',
    tokens,
    'authorization_code", "refresh_token", "client_credentials", "password',
    ['implicit', 'Refresh_token'],
    'authorization_code, refresh_token, client_credentials',
  ],
  [
    'client_assertion_type',
    tokens,
    assertion,
    [assertion.replace('jwt', 'saml2'), assertion.toUpperCase()],
    `${assertion} alone`,
  ],
  ...(['subject_token_type', 'requested_token_type'] as const).map(
    (role) =>
      [
        role,
        (input: string) => exchange.replace('ROLE', input),
        `${type}access_token", "${type}jwt", "our_token`,
        ['refresh_token', 'id_token', 'saml1', 'saml2'].map((name) => type + name),
        'types of access tokens',
      ] as const,
  ),
];

const listed = (good: string, ...more: readonly string[]): readonly string[] => [
  ...good.split('", "'),
  ...more,
];

describe('HOSTILE 87: allowed values of inputs that Jetway interprets', () => {
  for (const [role, over, good, bad, words] of cases) {
    const place = over('x').includes('authorize') ? 'authorize.endpoint' : 'token_endpoints.grant';
    test(`${place}.inputs.${role}`, () => {
      const withList = (values: readonly string[]): string => over(`${role}: ${list(values)}`);
      assert.deepEqual(errorsOf(withList(listed(good))), []);
      for (const value of bad) {
        const values = listed(good, value);
        const told = `"${value}" can never succeed: Jetway understands ${words} here`;
        assert.deepEqual(errorsOf(withList(values)), [
          `${place}.inputs.${role}.allowed.${values.length - 1}: ${told}`,
        ]);
      }
    });
  }

  test('any other spelling of S256 does not load', () => {
    const spelling = fc.oneof(
      fc
        .tuple(fc.constantFrom('s', 'S', 'ſ'), fc.constantFrom('256', '256 ', '２５６'))
        .map((parts) => parts.join('')),
      anyText(5).filter((text) => /^[^\p{C}\ufffd]+$/u.test(text)),
    );
    fc.assert(
      fc.property(
        spelling.filter((text) => text !== 'S256'),
        (text) => {
          const errors = errorsOf(login(`code_challenge_method: ${list(['S256', text])}`));
          assert.equal(errors.length, 1);
          assert.match(errors[0] ?? '', /allowed\.1: .* can never succeed/s);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('the place is the value, and the remedy to take it out', () => {
    const { faults } = loadClub(login('code_challenge_method: { allowed: [S256, s256] }'));
    const told = faults.filter(({ severity }) => severity === 'error');
    assert.deepEqual(
      told.map(({ path, hint }) => [path, hint]),
      [['authorize.endpoint.inputs.code_challenge_method.allowed.1', 'take it out']],
    );
  });

  test('what an endpoint does not interpret may allow anything', () => {
    for (const over of [
      login('channel: { allowed: [s256] }'),
      tokens('response_type: { allowed: [token] }'),
      `${login('code_challenge_method: { allowed: [S256, s256] }')}\n`.replace(
        'authorize: {',
        'authorize: { pkce: off,',
      ),
    ]) {
      assert.deepEqual(errorsOf(over), [], over);
    }
  });
});
