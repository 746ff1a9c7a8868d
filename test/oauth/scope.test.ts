// Tests of granting scopes: levels (G-12) and lists (P-5), never more than was granted (HOSTILE 32).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { present } from '../../src/lib/present.ts';
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

  test('HOSTILE 87: a level named twice is one', () => {
    assert.equal(rules.check('L12 L12 L12'), 'L12');
    for (const scope of ['L12 L12 ', 'L11 L11', 'L12 L15 L12', 'L12,L12']) {
      assertRefused(() => rules.check(scope), scope);
    }
    const spaced = levelScopes(['L 1', 'L 2'], 'L 2', 'L 1');
    assert.equal(spaced.check('L 1'), 'L 1');
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
  const rulesOf = (values: readonly string[], separator = ' ', unasked?: readonly string[]) =>
    listScopes(present({ values, separator, restricted: [], default: unasked }));
  const rules = rulesOf(['a', 'b', 'c']);

  test('a login and a client’s own token get what they ask for', () => {
    assert.equal(rules.ofLogin('a b', 'L10'), 'a b');
    assert.equal(rules.ofLogin(undefined, undefined), undefined);
    assert.equal(rules.ofClient('c'), 'c');
    assert.equal(rules.ofClient(undefined), undefined);
  });

  test('a part that does not exist is ignored where the file says so, a restricted one never', () => {
    const ignoring = (separator: string, ...unasked: readonly string[]) =>
      listScopes({
        values: ['a', 'b', 'close'],
        separator,
        restricted: ['close'],
        unknown: 'ignore',
        ...(unasked.length > 0 && { default: unasked }),
      });
    const { check, refusesUnknown } = ignoring(' ');
    assert.equal(refusesUnknown, true);
    const kept = { 'a x': 'a', 'x b a y b': 'b a', 'close x': 'close', a: 'a', ' a  b ': 'a b' };
    for (const [sent, found] of Object.entries(kept)) assert.equal(check(sent), found);
    const refused = ['x', 'x y', '', ' ', 'A', 'a,b', 'a Close', 'a x,close', 'a forclosed'];
    for (const scope of refused) assertRefused(() => check(scope), scope);
    const defaulting = ignoring(' ', 'a');
    assert.equal(defaulting.refusesUnknown, false);
    for (const scope of ['x', '', 'A']) assert.equal(defaulting.check(scope), undefined);
    for (const scope of ['CLOSE', 'x close,a']) {
      assertRefused(() => defaulting.check(scope), scope);
    }
    const single = ignoring('none', 'b');
    assert.deepEqual(['a', 'x a', 'x', 'a x a'].map(single.check), ['a', 'a', undefined, 'a']);
    for (const scope of ['a b', 'x a b', 'a close', 'a x-close']) {
      assertRefused(() => single.check(scope), scope);
    }
    assert.equal(ignoring('+').check('a x+b'), 'a+b');
  });

  test('each part must exist', () => {
    for (const scope of [undefined, 'a', 'c a b']) assert.equal(rules.check(scope), scope);
    for (const scope of ['', 'd', 'a d', 'a  b', ' a', 'a ', 'a,b', 'A', 'a\tb', 'd d', 'a a ']) {
      assertRefused(() => rules.check(scope), scope);
    }
  });

  test('HOSTILE 87: names that come several times are one each, in the order of their first mention', () => {
    const separator = fc.constantFrom(' ', ',', ', ', '+', '::', '|');
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(separator, names, (between, sent) => {
        const { check, narrow, split } = rulesOf(['a', 'b', 'c'], between);
        const found = check(sent.join(between)) ?? '';
        const once = sent.filter((name, index) => sent.indexOf(name) === index);
        assert.equal(found, once.join(between));
        assert.equal(check(found), found);
        assert.deepEqual(split(narrow(found, found) ?? ''), once);
      }),
    );
    const single = rulesOf(['a', 'b c'], 'none');
    assert.deepEqual(['a a', 'b c', 'a'].map(single.check), ['a', 'b c', 'a']);
    for (const scope of ['a b', 'b c b c', 'a a ', '']) {
      assertRefused(() => single.check(scope), scope);
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
    rulesOf([long]).check(long);
    const longer = `${long}a`;
    assertRefused(() => rulesOf([longer]).check(longer), longer.slice(0, 100));
  });

  test('the separator is the dialect’s, or there is one scope at most', () => {
    rulesOf(['a', 'b'], ',').check('a,b');
    assertRefused(() => rulesOf(['a', 'b'], ',').check('a b'), 'a b');
    const single = rulesOf(['a', 'b c'], 'none');
    single.check('b c');
    assertRefused(() => single.check('a b'), 'a b');
    assertRefused(() => single.narrow('a', 'b c'), 'a');
  });

  test('any one or two characters separate; a plus that was not encoded is a space', () => {
    for (const separator of [', ', '|', ';', '+', '::', '%%', ' & ']) {
      const { check, split } = rulesOf(['a', 'b'], separator);
      check(`b${separator}a`);
      assert.deepEqual(split(`b${separator}a`), ['b', 'a']);
      assert.equal(check(`a${separator}a`), 'a');
    }
    assertRefused(() => rulesOf(['a', 'b'], ', ').check('a,b'), 'a,b');
    const plus = rulesOf(['a', 'b'], '+');
    assert.deepEqual(['a b', 'a+b', 'b', undefined].map(plus.check), [
      'a+b',
      'a+b',
      'b',
      undefined,
    ]);
    assert.deepEqual(plus.split('a b+c'), ['a', 'b', 'c']);
    assert.equal(plus.narrow('b', 'a b'), 'b');
  });

  test('where none is asked for, a client’s own token has the default scope', () => {
    const { ofClient, ofLogin, unasked } = rulesOf(['a', 'b', 'c'], ', ', ['c', 'a']);
    assert.equal(unasked, 'c, a');
    assert.deepEqual([ofClient(undefined), ofClient('b')], ['c, a', 'b']);
    // A login's code leaves the scope to the token request (P-5).
    assert.equal(ofLogin(undefined, undefined), undefined);
    assert.equal(rules.unasked, undefined);
  });
});
