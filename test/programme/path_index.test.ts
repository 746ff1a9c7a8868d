// Tests of the index of paths against the definition of overlapping and matching.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { isPathValue, PathIndex, patternTest } from '../../src/programme/path_index.ts';

const constant = fc.constantFrom('a', 'b', 'verify', 'a-b', '.well-known', 'a;b', '..');
const segment = fc.oneof({ weight: 3, arbitrary: constant }, fc.constantFrom('{x}', '{y}'));
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '/', '/*'))
  .map(([segments, end]) => `/${segments.join('/')}${end}`);

/** Whether one request path could match both. */
function overlap(one: string, other: string): boolean {
  const [ours, theirs] = [one.split('/'), other.split('/')];
  for (const [index, own] of ours.entries()) {
    const its = theirs[index];
    if (its === undefined) return false;
    if (own === '*' || its === '*') return true;
    if (!fits(own, its) && !fits(its, own)) return false;
  }
  return ours.length === theirs.length;
}

function fits(pattern: string, text: string): boolean {
  if (!pattern.startsWith('{')) return pattern === text;
  return text.startsWith('{') || isPathValue(text);
}

test('C-2: every path that overlaps is found, and no other', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), path, (added, sought) => {
      const index = new PathIndex();
      for (const one of added) index.add(one);
      const expected = new Set(added.filter((one) => overlap(one, sought)));
      assert.deepEqual(new Set(index.overlapping(sought)), expected);
    }),
  );
});

test('HOSTILE 49: a path is a pattern where each value is one segment of plain characters', () => {
  const isPattern = patternTest('/{tenant}/token');
  for (const one of ['.', '..', '', 'a%2e', 'a;b', 'a,b', 'a b', 'é', 'a\\', 'x'.repeat(201)]) {
    assert.equal(isPattern(`/${one}/token`), false, one);
  }
  for (const one of ['a', '.a', '...', 'a:b@c.example', '~-_', 'x'.repeat(200)]) {
    assert.equal(isPattern(`/${one}/token`), true, one);
  }
  for (const one of ['/a/token/', '/a/Token', '/a/b/token', '//a/token', 'a/token', '*', '']) {
    assert.equal(isPattern(one), false, one);
  }
});
