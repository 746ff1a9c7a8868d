// Owns programme files of which something is spoiled: a value of another kind, a key too many, a key
// too few, somewhere in an arbitrary file.

import fc from 'fast-check';

import { isMap, type Plain, type PlainMap } from './dialect.ts';
import { overlays } from './overlays.ts';
import { list } from './trees.ts';

const oddValue: fc.Arbitrary<Plain> = fc.constantFrom<Plain>(
  null,
  true,
  -1,
  0,
  0.5,
  1e21,
  '',
  ' ',
  'none',
  'client.',
  '1..0',
  '5m',
  '/..',
  '{parameter}',
  [],
  [[]],
  [null],
  ['x', 'x'],
  {},
  { a: {} },
  { value: 'scope', as: 'date' },
  { page: {} },
);

const oddKey = fc.constantFrom('', ' ', ...list('staus a.b 0 é X:Y page groups inputs'));

/** Keys that the variants have and a file may spoil without naming anything else of them. */
const path = fc.constantFrom(
  ...list(`
    client client.identifier client.authentication.methods code code.length authorize
    authorize.failures.server_error authorize.answer.code authorize.endpoint
    token_endpoints token_endpoints.grant token_endpoints.grant.inputs.code grants
    token_endpoints.refresh.methods grants.authorization_code grants.refresh_token.endpoint
    scope scope.kind scope.values tokens.access tokens.refresh.grace throttle
    token_response.fields token_response.fields.scope token_response.wrap errors
    errors.fields errors.groups errors.reasons errors.reasons.throttled login
    errors.reasons.throttled.status login.messages selector variant base_path name
  `),
);

const spoil = fc.oneof(
  fc.tuple(path, oddValue),
  fc
    .tuple(path, oddKey, oddValue)
    .map(([at, key, value]): [string, Plain] => [`${at}.${key}`, value]),
);

/** Arbitrary files with one to three things wrong, or right by chance. */
export const spoiledOverlays: fc.Arbitrary<PlainMap> = fc
  .tuple(overlays, fc.array(spoil, { minLength: 1, maxLength: 3 }))
  .map(([overlay, spoils]) =>
    spoils.reduce((map, [at, value]) => withValue(map, at.split('.'), value), overlay),
  );

function withValue(map: PlainMap, [key = '', ...rest]: readonly string[], value: Plain): PlainMap {
  if (rest.length === 0) return { ...map, [key]: value };
  const inner = map[key];
  return { ...map, [key]: withValue(isMap(inner) ? inner : {}, rest, value) };
}
