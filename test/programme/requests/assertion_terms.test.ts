// HOSTILE 76: where the URL of a token endpoint is meant, a path with values stands with the client's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../../src/lib/clock.ts';
import type { Client, ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import { withPathValues } from '../../../src/programme/path_index.ts';
import { compileAssertionTerms } from '../../../src/programme/requests/assertion_terms.ts';
import { definitionOf } from '../../support/definition.ts';
import { fc } from '../../support/property.ts';

const publicUrl = 'https://tokens.example';

/** What can stand in a path, and which values of it are this client's; of `other` some other client's. */
const kinds = {
  property: { input: 'must_equal: client.tenant', own: ['north', 'n:1@~'], other: ['south'] },
  identifier: {
    input: 'must_equal: client.id',
    own: ['partnerapi-77777'],
    other: ['partnerapi-1'],
  },
  programme: {
    input: 'must_equal: programme.identifier',
    own: ['ExecutiveClub'],
    other: ['SecondClub'],
  },
  listed: { input: 'allowed: [v1, v2]', own: ['v1', 'v2'], other: ['v3'] },
  both: {
    input: 'allowed: [north, south], must_equal: client.tenant',
    own: ['north'],
    other: ['south', 'n:1@~'],
  },
  shaped: { input: 'characters: digits, length: 3', own: ['123', '000'], other: ['12', '12a'] },
  key: { input: 'must_equal: client.api_key', own: ['the-key'], other: ['another-key'] },
} as const;
type Kind = keyof typeof kinds;

const client: Client = {
  programme: 'executive-club' as ProgrammeId,
  id: 'partnerapi-77777' as ClientId,
  name: 'Partner',
  roles: [],
  redirectUris: [],
  secrets: [],
  apiKeys: [],
  properties: { tenant: ['north', 'n:1@~', 'not in a path'], elsewhere: 'south' },
  status: 'active',
  createdAt: instant(0),
};

/** A path of constants and values, each value once. */
const patterns = fc
  .array(
    fc.oneof(
      fc.constantFrom('token', 'oauth2', 'a@b'),
      fc.constantFrom(...(Object.keys(kinds) as Kind[])).map((kind) => `{${kind}}`),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((segments) => [...new Set(segments)])
  .filter((segments) => segments.some((one) => one.startsWith('{')));

function termsOf(path: string, used: readonly Kind[]): (text: string) => boolean {
  const inputs = used.map((kind) => `${kind}: { in: path, ${kinds[kind].input} }`);
  const terms = compileAssertionTerms(
    definitionOf(`client: { authentication: { methods: [private_key_jwt], assertion: { audience: token_endpoint } } }
authorize: { endpoint: { path: /longer/than/any/of/these/paths } }
token_endpoints: { grant: { path: "${path}", inputs: { client_assertion: {}, ${inputs.join(', ')} } } }`),
    `${publicUrl}/executive-club`,
    publicUrl,
  );
  return terms?.expectedOf(client, (text) => text === 'the-key').isAudience ?? assert.fail();
}

test("HOSTILE 76: aud is the URL that was called, of whatever pattern; no pattern and no other client's", () => {
  const property = fc.property(patterns, fc.nat(), fc.nat(), (segments, pick, which) => {
    const path = `/${segments.join('/')}`;
    const used = segments.flatMap((one) => (one.startsWith('{') ? [one.slice(1, -1) as Kind] : []));
    const isAudience = termsOf(path, used);
    const url = `${publicUrl}/executive-club${path}`;
    const filled = (wrong?: Kind): string =>
      withPathValues(url, (name) => {
        const { own, other } = kinds[name as Kind];
        const values = name === wrong ? other : own;
        return values[pick % values.length];
      });
    const called = filled();
    assert.ok(isAudience(called), called);
    const spoilt = used[which % used.length];
    for (const text of [
      url,
      filled(spoilt),
      `${called}/`,
      `${called}?`,
      called.replace('/executive-club', '//executive-club'),
      called.replace('https:', 'http:'),
      encodeURI(url),
      // One spelling alone: nothing is decoded (HOSTILE 49).
      called.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
      withPathValues(url, () => '..'),
      withPathValues(url, () => ''),
      withPathValues(url, () => 'not in a path'),
      '',
    ]) {
      assert.ok(!isAudience(text), text);
    }
  });
  fc.assert(property);
});

test('a path without values is its URL, of every client and none', () => {
  const definition = definitionOf(
    `client: { authentication: { methods: [private_key_jwt], assertion: { audience: [token_endpoint, client.tenant] } } }
token_endpoints: { grant: { inputs: { client_assertion: {} } } }`,
  );
  const terms = compileAssertionTerms(
    definition,
    'https://tokens.example/executive-club',
    publicUrl,
  );
  const url = 'https://tokens.example/executive-club/api/grant';
  for (const one of [client, undefined]) {
    const { isAudience, audiences } = terms?.expectedOf(one) ?? assert.fail();
    assert.ok(isAudience(url));
    const own = one === undefined ? [] : ['north', 'n:1@~', 'not in a path'];
    assert.deepEqual(audiences, [url, ...own]);
  }
});
