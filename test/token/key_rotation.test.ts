// Tests of the planning of key rotation on a set clock; that no verification fails meanwhile is
// tested in key_rotation_verifiers.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import { keyStates, planRotation } from '../../src/token/key_rotation.ts';
import { shortestWait, signingKeyRules } from '../../src/token/key_rules.ts';
import { at } from '../store/fixtures.ts';
import { aKey, edwards, first, minute, rules, second } from './rotation_keys.ts';

const wish = { wait: shortestWait };

/** Status of each key and, in seconds, when it may go. */
function statesOf(keys: readonly SigningKeyRecord[], seconds: number, by = rules): string {
  const states = keyStates(keys, by, at(seconds)).map(({ key, status, retiresAt }) => {
    const end = retiresAt === undefined ? '' : ` until ${(retiresAt - at(0)) / 1000}`;
    return `${key.kid} ${status}${end}`;
  });
  return states.join(', ');
}

describe('what a key is', () => {
  test('the latest whose time has come signs, later ones wait, earlier ones verify', () => {
    const third = aKey('third', { signsFrom: at(20 * minute) });
    const keys = [third, first, second];
    assert.equal(statesOf(keys, 10 * minute - 1), 'third waiting, first signing, second waiting');
    assert.equal(
      statesOf(keys, 10 * minute),
      'third waiting, first retiring until 2400, second signing',
    );
    assert.equal(
      statesOf(keys, 40 * minute),
      'third signing, first due until 2400, second retiring until 3000',
    );
  });

  test('a clock behind every key, and a key never told to sign, leave the first one signing', () => {
    assert.equal(statesOf([second, first], -5), 'second waiting, first signing');
    assert.equal(statesOf([aKey('untold')], 0), 'untold signing');
    assert.equal(statesOf([aKey('untold'), first], 0), 'untold waiting, first signing');
  });

  test('a key may go at the later of what was written down and what lifetimes are now', () => {
    const marked = { ...first, retiresAt: at(45 * minute) };
    assert.equal(
      statesOf([marked, second], 41 * minute),
      'first retiring until 2700, second signing',
    );
    const longer = { ...rules, longestToken: milliseconds(60 * minute * 1000) };
    assert.equal(
      statesOf([marked, second], 46 * minute, longer),
      'first retiring until 4200, second signing',
    );
  });

  test('a key of another algorithm is one given up, or ahead where it was never told to sign', () => {
    const old = aKey('old', { signsFrom: at(0), retiresAt: at(60) });
    const keys = [
      old,
      { ...old, kid: 'unknown', retiresAt: undefined } as unknown as SigningKeyRecord,
      aKey('ahead'),
      aKey('new', { algorithm: 'EdDSA', signsFrom: at(5) }),
    ];
    assert.equal(
      statesOf(keys, 59, edwards),
      'old retiring until 60, unknown retiring, ahead ahead, new signing',
    );
    assert.match(statesOf(keys, 60, edwards), /^old due until 60,/);
  });
});

describe('rotating', () => {
  test('publishes a key that signs after the wait, and says when the one before may go', () => {
    assert.deepEqual(planRotation([first], rules, wish, at(100)), {
      step: 'add',
      signsFrom: at(100 + 10 * minute),
      before: [{ kid: 'first', signsFrom: at(0), retiresAt: at(100 + 40 * minute) }],
    });
  });

  test('again while a key waits changes nothing; the next one comes after it signs', () => {
    const keys = [first, second];
    assert.deepEqual(planRotation(keys, rules, wish, at(10 * minute - 1)), {
      step: 'wait',
      key: second,
    });
    assert.equal(planRotation(keys, rules, wish, at(10 * minute)).step, 'add');
  });

  test('in an emergency the key that waits signs now, or a new one does', () => {
    const now = at(100);
    const before = [{ kid: 'first', signsFrom: at(0), retiresAt: at(100 + 30 * minute) }];
    const wait = milliseconds(0);
    assert.deepEqual(planRotation([first, second], rules, { wait }, now), {
      step: 'hasten',
      key: second,
      signsFrom: now,
      before,
    });
    assert.deepEqual(planRotation([first], rules, { wait }, now), {
      step: 'add',
      signsFrom: now,
      before,
    });
  });

  test('the first key of all waits for nobody; the first of an algorithm does', () => {
    const none = { step: 'add', signsFrom: at(7), before: [] };
    assert.deepEqual(planRotation([], rules, wish, at(7)), none);
    assert.deepEqual(planRotation([first], edwards, wish, at(7)), {
      ...none,
      signsFrom: at(7 + 10 * minute),
    });
  });

  test('for a change of algorithm to come publishes one key, which is not told when to sign', () => {
    const ahead = aKey('ahead', { algorithm: 'EdDSA' });
    const change = { ...wish, algorithm: 'EdDSA' } as const;
    assert.deepEqual(planRotation([first], rules, change, at(0)), { step: 'add', before: [] });
    assert.deepEqual(planRotation([first, ahead], rules, change, at(0)), {
      step: 'stand',
      key: ahead,
    });
    // Once it signs, its successor must not find it without a beginning: it would sort behind.
    assert.deepEqual(planRotation([first, ahead], edwards, wish, at(9)), {
      step: 'add',
      signsFrom: at(9 + 10 * minute),
      before: [{ kid: 'ahead', signsFrom: at(9), retiresAt: at(9 + 40 * minute) }],
    });
  });

  test('the longest signed token is that of the tokens that are JWTs', () => {
    const longest = (access: 'jwt' | 'opaque', refresh: 'jwt' | 'opaque'): number =>
      signingKeyRules({
        signsTokens: access === 'jwt' || refresh === 'jwt',
        access: { isSigned: access === 'jwt', lifetime: milliseconds(5), algorithm: 'ES256' },
        refresh: { format: refresh, longest: milliseconds(9), grace: milliseconds(1) },
      }).longestToken;
    assert.equal(longest('jwt', 'opaque'), 5);
    assert.equal(longest('opaque', 'jwt'), 9);
    assert.equal(longest('jwt', 'jwt'), 9);
    assert.equal(longest('opaque', 'opaque'), 9);
  });
});
