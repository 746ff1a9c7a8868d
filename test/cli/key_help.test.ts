// Tests of `jetway help key NAME`: a key by its place, by its path and by its end, and slips.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keyHelp } from '../../src/cli/key_help.ts';
import { configSchema } from '../../src/config/config.ts';
import { definitionSchema } from '../../src/language/definition.ts';
import { keysOf } from '../../src/schema/keys.ts';

const grace = [
  'tokens.refresh.grace',
  '',
  'How long a client may try again with a used refresh token, because its connection broke. It gets the same new refresh token in answer once more; within a minute also the same access token. An hour at most. `0s` allows no retry.',
  'Departure `long_grace`: a refresh token that was used stays good for more than 5 minutes (RFC 9700 4.14.2).',
  '',
  'Type     duration',
  '         A whole number and a unit: `500ms`, `90s`, `30m`, `24h`, `30d`. One unit, no spaces, no fractions.',
  'Default  `10s`',
  'Example  grace: 30s',
].join('\n');

test('a key is found by its path, and by an end that it alone has', () => {
  for (const name of ['tokens.refresh.grace', 'refresh.grace', 'grace']) {
    assert.equal(keyHelp(name), grace, name);
  }
});

test('a key of a type is found by its place in a file and by its path in the reference', () => {
  const place = keyHelp('token_endpoints.any.inputs.name.must_equal');
  const path = keyHelp('input.must_equal');
  assert.match(
    place,
    /^token_endpoints\.any\.inputs\.name\.must_equal\n\nWhat it must be equal to /,
  );
  assert.match(
    path,
    /\nOf {7}each input\nType {5}comparison\n {9}One of `programme\.identifier`, /,
  );
  assert.match(
    keyHelp('errors.reasons.throttled'),
    /\n\nType {5}error answer\nDefault  `\{ status: 429, error: temporarily_unavailable, error_description: too many requests \}`\nKeys/,
  );
});

test('a key of the configuration, with when another value counts', () => {
  assert.equal(
    keyHelp('gateway'),
    [
      'gateway',
      '',
      "Where the API's gateway asks whether a request may pass: verify and introspection.",
      '',
      'Type     text',
      'Default  they are answered at `listen`, beside everything else',
      'Example  gateway: 127.0.0.1:8090',
      'Counts   at a reload; after a restart if gateway_tls is new or gone',
    ].join('\n'),
  );
  assert.match(keyHelp('tls.hsts'), /\nDefault {2}`on`\nExample {2}hsts: off$/);
});

test('several keys that end with a name are listed', () => {
  const [head, ...lines] = keyHelp('lifetime').split('\n');
  assert.equal(head, 'Keys that end with "lifetime":');
  assert.deepEqual(
    lines.flatMap((line) => /^ {2}(\S+) {2,}\S.*\.$/.exec(line)?.[1] ?? []),
    ['code', 'tokens.access', 'tokens.refresh', 'id_token', 'login'].map(
      (path) => `${path}.lifetime`,
    ),
  );
});

test('a map lists the keys below it, a type those of its maps', () => {
  assert.match(keyHelp('selector'), /\nKeys {5}selector\.input, selector\.default$/);
  assert.match(
    keyHelp('grants.password'),
    /\nKeys {5}grant\.endpoint, .*, grant\.access_lifetime, .*$/,
  );
});

test('a name that no key has: the nearest key or verb is named, as wrong usage', () => {
  const slips = [
    ['graec', 'there is no key "graec" (did you mean "grace"?)'],
    [
      'token.refresh.grace',
      'there is no key "token.refresh.grace" (did you mean "tokens.refresh.grace"?)',
    ],
    ['rotat', 'there is no key "rotat" (did you mean "rotate"?)'],
    ['zzzzz', 'there is no key "zzzzz" (docs/programme-reference.md lists them)'],
  ] as const;
  for (const [name, message] of slips) {
    assert.throws(() => keyHelp(name, ['list', 'rotate']), { message, exitCode: 2 });
  }
});

test('every key of a programme file and of the configuration has its help', () => {
  for (const { path, entry } of [definitionSchema, configSchema].flatMap(keysOf)) {
    const { text = '', departs = [] } = entry.docs ?? {};
    const start = text.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1');
    const lines = departs.map(({ name, message }) => `Departure \`${name}\`: ${message}.`);
    const words = [start, ...lines].join('\n');
    assert.ok(keyHelp(path).startsWith(`${path}\n\n${words}\n\n`), path);
  }
});
