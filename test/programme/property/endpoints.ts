// Owns arbitrary endpoints: where parameters are read and what they are called, which grants there
// are, and how a login request is made.

import fc from 'fast-check';

import { failureReasons } from '../../../src/oauth/reasons.ts';
import type { Plain, PlainMap } from './dialect.ts';
import { partial } from './trees.ts';

/** Ways a dialect spells all of its parameters. */
const styles: Readonly<Record<string, (role: string) => string>> = {
  plain: (role) => role,
  camel: (role) => role.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  upper: (role) => role.toUpperCase(),
  prefixed: (role) => `p:${role}[]`,
};

const endpoint = fc.record({
  read: fc.oneof(
    fc.constantFrom<string>('form', 'multipart', 'json', 'query'),
    fc.shuffledSubarray(['form', 'multipart', 'json', 'query'], { minLength: 1 }),
  ),
  methods: fc.shuffledSubarray(['GET', 'POST'], { minLength: 1 }),
  repeated: fc.constantFrom('refuse', 'first', 'last'),
  unknown: fc.constantFrom('ignore', 'refuse'),
  empty: fc.constantFrom('missing', 'value'),
  style: fc.constantFrom(...Object.keys(styles)),
  inHeaders: fc.subarray(['client_id', 'client_secret', 'refresh_token', 'scope']),
  apiKey: fc.boolean(),
  whenMissing: fc.dictionary(
    fc.constantFrom('code', 'refresh_token', 'grant_type', 'api_key'),
    fc.constantFrom(...failureReasons),
    { maxKeys: 2 },
  ),
});
type EndpointKnobs = typeof endpoint extends fc.Arbitrary<infer Value> ? Value : never;

/** An endpoint with these inputs, in the form of a programme file. */
function endpointMap(knobs: EndpointKnobs, roles: readonly string[]): PlainMap {
  const { style, inHeaders, apiKey, whenMissing, methods, ...rest } = knobs;
  const spell = styles[style] ?? String;
  const inputs = roles.map((role): [string, Plain] => {
    const missing = whenMissing[role];
    const name = inHeaders.includes(role)
      ? { in: 'header', name: `X-${role.replaceAll('_', '-')}` }
      : { name: spell(role) };
    return [role, { ...name, ...(missing === undefined ? {} : { when_missing: missing }) }];
  });
  const key = { in: 'header', name: 'X-Api-Key', required: true, must_equal: 'client.api_key' };
  return {
    ...rest,
    // GET has no body.
    methods: [rest.read].flat().includes('query') ? methods : ['POST'],
    inputs: { ...Object.fromEntries(inputs), ...(apiKey ? { api_key: key } : {}) },
  };
}

const both = ['grant_type', 'client_id', 'client_secret', 'scope'];
const ofCode = ['code', 'redirect_uri', 'code_verifier'];

const grantNames = fc.dictionary(
  fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials'),
  partial({
    grant_type: fc.constantFrom('password', 'CC', 'x:y'),
    access_lifetime: fc.constantFrom('5m', '90d'),
  }),
  { maxKeys: 2 },
);

const authorize = partial({
  redirect_status: fc.constantFrom(302, 303),
  redirect_uri: fc.constantFrom('required', 'optional_when_single'),
  pkce: fc.constantFrom('off', 'optional', 'required'),
  answer: partial({
    code: fc.constantFrom('code', 'auth_code', 'CODE'),
    state: fc.constantFrom('state', 's'),
    issuer: fc.constant('iss'),
  }),
  endpoint: partial({
    path: fc.constantFrom('/auth', '/a.b/c_d~e'),
    methods: fc.shuffledSubarray(['GET', 'POST'], { minLength: 1 }),
    unknown: fc.constantFrom('ignore', 'refuse'),
    inputs: partial({
      client_id: fc.constant({ name: 'app' }),
      response_type: fc.constant({ required: false }),
    }),
  }),
});

/** Token endpoints, grants and login request of a file over a variant. */
export function endpointKnobs(variant: 'grant' | 'partner-login'): fc.Arbitrary<PlainMap> {
  const grants = variant === 'grant' ? overGrant : overPartnerLogin;
  return fc.tuple(grants, fc.option(authorize, { nil: undefined })).map(([parts, login]) => ({
    ...parts,
    ...(login === undefined ? {} : { authorize: login }),
  }));
}

/** One endpoint for all grants, or refresh at one of its own. */
const overGrant = fc
  .tuple(endpoint, fc.option(endpoint), grantNames, fc.boolean(), fc.boolean(), fc.boolean())
  .map(([first, other, names, noClient, noGrantType, noLogin]): PlainMap => {
    const second = noLogin ? null : other;
    const alone = noGrantType && (noLogin || (second !== null && noClient));
    const main = endpointMap(first, [...both, ...ofCode, 'refresh_token']);
    const inputs = main['inputs'] as PlainMap;
    const gone: PlainMap = alone ? { grant_type: null } : {};
    return {
      token_endpoints: {
        grant: { ...main, path: '/tokens', inputs: { ...inputs, ...gone } },
        ...(second === null
          ? {}
          : { renewal: { ...endpointMap(second, [...both, 'refresh_token']), path: '/renew' } }),
      },
      grants: {
        ...names,
        ...(noLogin ? { authorization_code: null, refresh_token: null } : {}),
        ...(noClient && !noLogin ? { client_credentials: null } : {}),
        ...(second === null ? {} : { refresh_token: { endpoint: 'renewal' } }),
      },
    };
  });

const overPartnerLogin = fc
  .tuple(endpoint, endpoint, grantNames, fc.boolean())
  .map(([key, refresh, names, withClient]): PlainMap => {
    const { client_credentials: named = {}, ...others } = names as PlainMap;
    const client = { role: 'partner', endpoint: 'key', ...(named as PlainMap) };
    return {
      token_endpoints: {
        key: endpointMap(key, [...both, ...ofCode]),
        refresh: endpointMap(refresh, [...both, 'refresh_token']),
      },
      grants: { ...others, ...(withClient ? { client_credentials: client } : {}) },
    };
  });
