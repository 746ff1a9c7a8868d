// What the entry of a key tells partners reaches the comparison and the page, wherever the key stands.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contractChanges } from '../../src/contract/diff/changes.ts';
import { makeGuide } from '../../src/contract/partner/guide.ts';
import { partnerPage } from '../../src/contract/partner/page/page.ts';
import { definitionSchema } from '../../src/language/definition.ts';
import { keysOf } from '../../src/schema/keys.ts';
import { programmeOf } from '../support/definition.ts';

const programme = programmeOf(
  'client: { authentication: { methods: [basic, private_key_jwt] } }',
  'token_endpoints: { grant: { inputs: { client_assertion: {} } } }',
);

/** The programme as if the entry of each key said something. */
function telling(words: string) {
  const keys = keysOf(definitionSchema).flatMap(({ path, type }) => (type ? [] : [path]));
  const told = keys.map((key) => ({
    key,
    row: `row of ${key}`,
    words,
    span: undefined,
    isStrict: undefined,
    page: `${words}: ${key}.`,
  }));
  return { keys, programme: { ...programme, told } };
}

test('each key that tells something has its row in a comparison', () => {
  const before = telling('one');
  const changes = contractChanges(before.programme, telling('another').programme);
  const items = changes.map(({ item }) => item);
  assert.deepEqual(items.toSorted(), before.keys.map((key) => `row of ${key}`).toSorted());
});

test('each key that tells something has its paragraph in the page', () => {
  const { keys, programme: all } = telling('Told');
  const page = partnerPage(makeGuide(all, 'https://tokens.example'));
  for (const key of keys) {
    assert.equal(page.split(`\nTold: ${key}.\n`).length, 2, key);
  }
});

test('a time that becomes shorter and a choice that refuses requests break partners', () => {
  const later = programmeOf(
    'tokens: { refresh: { longest: 20d } }',
    'authorize: { pkce: required }',
  );
  const breaks = contractChanges(programmeOf(), later).map(({ item, breaks: why }) => [item, why]);
  assert.deepEqual(
    breaks.filter(([item]) => item === 'PKCE' || item === 'longest time of a login'),
    [
      ['PKCE', 'it is stricter'],
      ['longest time of a login', 'it is shorter'],
    ],
  );
});
