// Tests of the index of paths against the definition of overlapping and matching.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { isPathValue, PathIndex } from '../../src/programme/path_index.ts';

const constant = fc.constantFrom('a', 'b', 'verify', 'a-b', '.well-known', 'a;b', '..');
const segment = fc.oneof({ weight: 3, arbitrary: constant }, fc.constantFrom('{x}', '{y}'));
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '/', '/*'))
  .map(([segments, end]) => `/${segments.join('/')}${end}`);
const asked = fc.array(constant, { minLength: 1, maxLength: 4 }).map((all) => `/${all.join('/')}`);

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

test('HOSTILE 49: of paths that do not overlap, a request’s path finds the one that it is', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), asked, (candidates, sought) => {
      const index = new PathIndex();
      const added = candidates.filter((one) => {
        if (one.endsWith('*') || index.overlapping(one).length > 0) return false;
        index.add(one);
        return true;
      });
      assert.equal(
        index.match(sought),
        added.find((one) => overlap(one, sought)),
      );
    }),
  );
  const index = new PathIndex();
  index.add('/{tenant}/token');
  for (const one of ['.', '..', '', 'a%2e', 'a;b', 'a,b', 'a b', 'é', 'a\\', 'x'.repeat(201)]) {
    assert.equal(index.match(`/${one}/token`), undefined, one);
  }
  for (const one of ['a', '.a', '...', 'a:b@c.example', '~-_', 'x'.repeat(200)]) {
    assert.equal(index.match(`/${one}/token`), '/{tenant}/token', one);
  }
  for (const one of ['/a/token/', '/a/Token', '/a/b/token', '//a/token', 'a/token', '*', '']) {
    assert.equal(index.match(one), undefined, one);
  }
});
