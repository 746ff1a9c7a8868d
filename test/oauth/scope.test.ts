// Tests of granting scopes: levels (G-12) and lists (P-5), never more than was granted (HOSTILE 32).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Refusal } from '../../src/oauth/failure.ts';
import { levelScopes, listScopes, longestScope } from '../../src/oauth/scope.ts';
import { fc } from '../support/property.ts';

function assertRefused(call: () => unknown, scope: string): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof Refusal);
    const { cause, ...facts } = error.facts;
    assert.deepEqual([error.reason, facts], ['invalid_scope', { parameter: 'scope', scope }]);
    assert.equal(cause?.parameter, 'scope');
    return true;
  });
}

describe('levelScopes', () => {
  const levels = ['L10', 'L12', 'L15'];
  const rules = levelScopes(levels, 'L15', 'L10');

  test('a login gets the member’s level, whatever it asked for', () => {
    assert.equal(rules.ofLogin(undefined, 'L12'), 'L12');
    assert.equal(rules.ofLogin('L15', 'L12'), 'L12');
    assert.equal(rules.ofLogin(undefined, undefined), 'L10');
    assert.equal(rules.ofLogin(undefined, 'L99'), 'L10');
    assert.equal(rules.ofLogin(undefined, 'l15'), 'L10');
  });

  test('a client’s own token carries the client’s level and no other', () => {
    assert.equal(rules.ofClient(undefined), 'L15');
    assert.equal(rules.ofClient('L15'), 'L15');
    assertRefused(() => rules.ofClient('L10'), 'L10');
  });

  test('a level that does not exist is refused before anything is granted', () => {
    rules.check(undefined);
    for (const level of levels) rules.check(level);
    for (const scope of ['', 'L11', 'l10', 'L10 L12', 'toString']) {
      assertRefused(() => rules.check(scope), scope);
    }
  });

  test('narrowing gives the level asked for, never above the one granted', () => {
    const level = fc.constantFrom(...levels);
    fc.assert(
      fc.property(fc.option(level, { nil: undefined }), level, (requested, granted) => {
        if (requested === undefined) assert.equal(rules.narrow(requested, granted), granted);
        else if (levels.indexOf(requested) <= levels.indexOf(granted)) {
          assert.equal(rules.narrow(requested, granted), requested);
        } else assertRefused(() => rules.narrow(requested, granted), requested);
      }),
    );
    assertRefused(() => rules.narrow('L10', undefined), 'L10');
    assertRefused(() => rules.narrow('L10', 'L99'), 'L10');
  });
});

describe('listScopes', () => {
  const rules = listScopes(['a', 'b', 'c'], ' ', []);

  test('a login and a client’s own token get what they ask for', () => {
    assert.equal(rules.ofLogin('a b', 'L10'), 'a b');
    assert.equal(rules.ofLogin(undefined, undefined), undefined);
    assert.equal(rules.ofClient('c'), 'c');
    assert.equal(rules.ofClient(undefined), undefined);
  });

  test('each part must exist, once', () => {
    for (const scope of [undefined, 'a', 'c a b']) rules.check(scope);
    for (const scope of ['', 'd', 'a d', 'a  b', ' a', 'a ', 'a a', 'a,b', 'A', 'a\tb']) {
      assertRefused(() => rules.check(scope), scope);
    }
  });

  test('narrowing gives a part of what was granted and nothing else', () => {
    const some = fc.subarray(['a', 'b', 'c'], { minLength: 1 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(some, fc.option(some, { nil: undefined }), (requested, granted) => {
        const limit = granted?.split(' ') ?? [];
        if (requested.split(' ').every((part) => limit.includes(part))) {
          assert.equal(rules.narrow(requested, granted), requested);
        } else assertRefused(() => rules.narrow(requested, granted), requested);
        assert.equal(rules.narrow(undefined, granted), granted);
      }),
    );
    assert.equal(rules.narrow(undefined, undefined), undefined);
  });

  test('a scope that no token has room for is refused, and none of it is told but its beginning', () => {
    const long = 'a'.repeat(longestScope);
    listScopes([long], ' ', []).check(long);
    const longer = `${long}a`;
    assertRefused(() => listScopes([longer], ' ', []).check(longer), longer.slice(0, 100));
  });

  test('the separator is the dialect’s, or there is one scope at most', () => {
    listScopes(['a', 'b'], ',', []).check('a,b');
    assertRefused(() => listScopes(['a', 'b'], ',', []).check('a b'), 'a b');
    const single = listScopes(['a', 'b c'], 'none', []);
    single.check('b c');
    assertRefused(() => single.check('a b'), 'a b');
    assertRefused(() => single.narrow('a', 'b c'), 'a');
  });
});
