// Owns the test of what a gateway may ask: how it is written, and that nothing a caller adds to its
// own request makes it less (C-4, P-15).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Refusal } from '../../../src/oauth/failure.ts';
import { levelScopes, listScopes, type ScopeRules } from '../../../src/oauth/scope.ts';
import {
  compileVerification,
  type VerificationRules,
} from '../../../src/programme/requests/verification.ts';
import { fc } from '../../support/property.ts';

const rulesOf = (scope: ScopeRules): VerificationRules =>
  compileVerification(
    {
      programme_identifier: 'Club',
      token_endpoints: {},
      verify: { api_key_header: 'X-Api-Key', headers: 'held', tells: {} },
    },
    scope,
  );
const levels = rulesOf(levelScopes(['L10', 'L12', 'L15'], 'L15', 'L10'));
const list = { separator: ' ', restricted: [] };
const names = rulesOf(
  listScopes({ ...list, values: ['read', 'reset', 'recall'], restricted: ['reset', 'recall'] }),
);
const commas = rulesOf(listScopes({ ...list, values: ['read', 'write'], separator: ',' }));

/** What is asked, or the reason and parameter it is refused for. */
function read(rules: VerificationRules, path: string, query = ''): unknown {
  try {
    return rules.readDemand(path, query);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return [error.reason, error.facts.parameter];
  }
}

function passes(rules: VerificationRules, path: string, query: string, scope?: string): boolean {
  const demand = rules.readDemand(path, query);
  assert.ok(demand);
  try {
    rules.checkScope(demand, scope);
    return true;
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.reason, 'insufficient_scope');
    return false;
  }
}

const none = { mode: 'member', key: false, level: -1, scopes: [], opens: [] };

describe('a demand', () => {
  test('is a mode, with floors in its segment or in the query of an address that ends there', () => {
    assert.deepEqual(read(levels, 'member'), none);
    assert.deepEqual(read(levels, 'client'), { ...none, mode: 'client' });
    assert.deepEqual(read(levels, 'none'), { ...none, mode: 'none', key: true });
    assert.deepEqual(read(levels, 'member', 'level=L12'), { ...none, level: 1 });
    assert.deepEqual(read(levels, 'member,level=L12'), { ...none, level: 1 });
    assert.deepEqual(read(levels, 'member,level=L12/api/x', 'level=L10'), { ...none, level: 1 });
    assert.deepEqual(read(levels, 'member/api/x', 'a=b'), none);
    const reset = { ...none, scopes: ['reset'], opens: ['reset'] };
    assert.deepEqual(read(names, 'member', 'scope=reset'), reset);
    assert.deepEqual(read(names, 'member,scope=reset/x'), reset);
    for (const [path, query] of [
      ['member,key', ''],
      ['member', 'key'],
      ['member', 'key='],
      ['member,key/api/x', 'key=5&a=b'],
    ] as const) {
      assert.deepEqual(read(levels, path, query), { ...none, key: true }, path + query);
    }
    assert.deepEqual(read(levels, 'none,key'), { ...none, mode: 'none', key: true });
    assert.deepEqual(read(levels, 'client,level=L12,key'), {
      ...none,
      mode: 'client',
      key: true,
      level: 1,
    });
    // An API may have a parameter of that name, which is no floor of the gateway's.
    assert.deepEqual(read(levels, 'member/api/x', 'key'), none);
    const both = { ...none, scopes: ['read', 'write'], opens: ['read', 'write'] };
    assert.deepEqual(read(commas, 'member,scope=read%2Cwrite'), both);
    assert.deepEqual(read(commas, 'member', 'scope=read,write'), both);
  });

  test('is of no other mode', () => {
    for (const path of ['', '/', 'Member', 'members', 'member%2c', 'member;', 'mem', '__proto__']) {
      assert.equal(read(levels, path), undefined, path);
    }
  });

  test('that would not be held is refused, so that it passes for none', () => {
    for (const written of ['member?', 'member,']) {
      const [path = '', query = ''] = written.split('?');
      const at = (text: string): unknown => read(levels, ...place(path, query, text));
      assert.deepEqual(at('level=L99'), ['invalid_parameter', 'level']);
      assert.deepEqual(at('level='), ['invalid_parameter', 'level']);
      assert.deepEqual(at('level'), ['invalid_parameter', 'level']);
      assert.deepEqual(at('level=l12'), ['invalid_parameter', 'level']);
      assert.deepEqual(at('scope=other'), ['invalid_parameter', 'scope']);
      assert.deepEqual(at('levle=L12'), ['unknown_parameter', 'levle']);
      assert.deepEqual(at('x'), ['unknown_parameter', 'x']);
      assert.deepEqual(at('level=L12&level=L10'), ['repeated_parameter', 'level']);
      assert.deepEqual(at('level=L12&level=L12'), ['repeated_parameter', 'level']);
      assert.deepEqual(at('key=L12'), ['invalid_parameter', 'key']);
      assert.deepEqual(at('key&key'), ['repeated_parameter', 'key']);
      assert.deepEqual(at('level=%zz'), ['malformed_body', undefined]);
    }
    assert.deepEqual(read(names, 'member', 'level=L12'), ['invalid_parameter', 'level']);
    assert.deepEqual(read(levels, 'none', 'level=L12'), ['invalid_parameter', 'level']);
    assert.deepEqual(read(names, 'none,scope=reset/x'), ['invalid_parameter', 'scope']);
  });
});

/** The same text in the query, or in the segment, where commas stand between parameters. */
function place(path: string, query: string, text: string): [path: string, query: string] {
  return path.endsWith(',') ? [path + text.replaceAll('&', ','), query] : [path, text];
}

describe('a token', () => {
  test('G-12: passes with the level that is asked for, or a higher one', () => {
    for (const [asked, wanted] of [
      ['L10', ['L10', 'L12', 'L15']],
      ['L12', ['L12', 'L15']],
      ['L15', ['L15']],
    ] as const) {
      for (const query of [`level=${asked}`, `scope=${asked}`]) {
        const passing = ['L10', 'L12', 'L15', 'L99', '', undefined].filter((scope) =>
          passes(levels, 'member', query, scope),
        );
        assert.deepEqual(passing, wanted, query);
      }
    }
    assert.equal(passes(levels, 'member', '', undefined), true);
  });

  test('P-15: with a restricted scope passes only where that one is asked for', () => {
    assert.equal(passes(names, 'member', '', 'reset'), false);
    assert.equal(passes(names, 'member', 'scope=reset', 'reset'), true);
    assert.equal(passes(names, 'member', 'scope=recall', 'reset'), false);
    assert.equal(passes(names, 'member', 'scope=read', 'read reset'), false);
    assert.equal(passes(names, 'member', 'scope=reset', undefined), false);
    assert.equal(passes(names, 'member', 'scope=reset', 'read'), false);
    assert.equal(passes(names, 'member', '', 'read'), true);
    assert.equal(passes(names, 'client', '', 'reset'), false);
  });

  test('P-15: what a caller appends opens nothing', () => {
    for (const path of ['member/', 'member/api/x', 'member,/x', 'member,scope=recall/x']) {
      assert.equal(passes(names, path, 'scope=reset', 'reset'), false, path);
    }
    assert.equal(passes(names, 'member/,scope=reset', '', 'reset'), false);
    assert.equal(passes(names, 'member/scope=reset/x', '', 'reset'), false);
    assert.equal(passes(names, 'member,scope=reset/x', 'scope=recall', 'reset'), false);
  });

  test('never passes by what stands behind the mode’s segment, if it does not without it', () => {
    const word = fc.constantFrom('level', 'scope', 'L10', 'L12', 'L15', 'read', 'reset', 'recall');
    const piece = fc.oneof(
      word,
      fc.constantFrom('=', '&', ',', '/', '%', '+', '?', '%2c'),
      fc.string(),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    const floor = fc.constantFrom(
      '',
      ',',
      ',level=L12',
      ',scope=reset',
      ',scope=L15',
      ',scope=read',
    );
    const scope = fc.constantFrom('L10', 'L12', 'L15', 'read', 'reset', 'read recall', undefined);
    fc.assert(
      fc.property(floor, text, text, scope, (floors, path, query, held) => {
        const rules = floors.includes('L1') ? levels : names;
        if (passes(rules, `member${floors}/${path}`, query, held)) {
          assert.ok(passes(rules, `member${floors}/`, '', held));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
