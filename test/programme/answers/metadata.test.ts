// HOSTILE 76: metadata (RFC 8414) tells addresses that every client can call.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileMetadata } from '../../../src/programme/answers/metadata.ts';
import { definitionOf } from '../../support/definition.ts';

test('HOSTILE 76: an address has the programme and the first allowed value in its path, and no pattern', () => {
  const inputs =
    'club: { in: path, must_equal: programme.identifier }, version: { in: path, allowed: [v2, v1] }';
  const definition = definitionOf(`
metadata: on
authorize: { endpoint: { path: "/{version}/login", inputs: { version: { in: path, allowed: [v1] } } } }
token_endpoints: { grant: { path: "/{club}/{version}/token", inputs: { ${inputs} } } }
`);
  const metadata = compileMetadata('club', definition, 'https://tokens.example', '/executive-club');
  const document = metadata.document({ introspection: false, keySet: false });
  assert.doesNotMatch(document, /[{%](?:club|version|7B)/);
  const { authorization_endpoint: login, token_endpoint: tokens } = JSON.parse(document) as Record<
    string,
    unknown
  >;
  assert.deepEqual(
    [login, tokens],
    [
      'https://tokens.example/executive-club/v1/login',
      `https://tokens.example/executive-club/${definition.programme_identifier}/v2/token`,
    ],
  );
});

test('RFC 8414 3.2: a list without elements is left out, and all others are told', () => {
  const without = definitionOf(`
metadata: on
grants: { authorization_code: null, refresh_token: null }
client: { authentication: { methods: [bare_basic] } }
scope: { kind: list, values: [], client: null, member_default: null }
`);
  const metadata = compileMetadata('club', without, 'https://tokens.example', '/executive-club');
  const document = JSON.parse(metadata.document({ introspection: true, keySet: true })) as object;
  const lists = Object.entries(document).filter(([, value]) => Array.isArray(value));
  assert.deepEqual(
    lists.map(([name]) => name),
    ['response_modes_supported', 'grant_types_supported', 'code_challenge_methods_supported'],
  );
  for (const [name, list] of lists) assert.notDeepEqual(list, [], name);
});
