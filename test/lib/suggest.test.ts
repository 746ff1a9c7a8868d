// Owns the check of "did you mean".

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { suggest } from '../../src/lib/suggest.ts';
import { fc } from '../support/property.ts';
import { cpuTimeOf } from '../support/usage.ts';

const keys = ['redirect_uri', 'client_id', 'path', 'public_url', 'programme'];

test('a slip of one letter in three, at most three, is near', () => {
  const near: readonly (readonly [string, string | undefined])[] = [
    ['redirct_uri', 'redirect_uri'],
    ['rediretc_uri', 'redirect_uri'],
    ['redirect_uris', 'redirect_uri'],
    ['pth', 'path'],
    ['paht', 'path'],
    ['programm', 'programme'],
    ['program', 'programme'],
    ['prog', undefined],
    ['xy', undefined],
    ['', undefined],
    ['something_else', undefined],
  ];
  for (const [word, expected] of near) assert.equal(suggest(word, keys), expected, word);
});

test('case, dashes and underscores do not count', () => {
  assert.equal(suggest('redirectUri', keys), 'redirect_uri');
  assert.equal(suggest('CLIENT-ID', keys), 'client_id');
  assert.equal(suggest('i-d', ['ad', 'ID']), 'ID');
});

test('the nearest wins, of equally near ones the first', () => {
  assert.equal(suggest('status', ['statute', 'statuses', 'Status']), 'Status');
  assert.equal(suggest('grand', ['grant', 'brand']), 'grant');
  assert.equal(suggest('grand', ['brand', 'grant']), 'brand');
});

test('a transposed pair counts once', () => {
  assert.equal(suggest('abc', ['bac']), 'bac');
  assert.equal(suggest('abc', ['cab']), undefined);
});

test('the word itself is no suggestion', () => {
  assert.equal(suggest('path', ['path']), undefined);
  assert.equal(suggest('-', ['_']), undefined);
});

test('property: what is suggested is a candidate, and changing case finds the word again', () => {
  const word = fc.string({ minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(word, fc.array(word), (given, candidates) => {
      const found = suggest(given, candidates);
      assert.ok(found === undefined || (candidates.includes(found) && found !== given));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (given) => {
      assert.equal(suggest(given.toUpperCase(), [given]), given);
    }),
  );
});

test('a long word costs nothing', () => {
  const names = Array.from({ length: 1000 }, (_, i) => `key${i}`);
  const took = cpuTimeOf(() => assert.equal(suggest('x'.repeat(65_536), names), undefined));
  assert.ok(took < 2000);
});
