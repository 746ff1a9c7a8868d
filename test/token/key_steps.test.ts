// Tests of the steps that a programme's keys take as a whole, on a set clock; what they follow from is
// tested in key_rotation.test.ts and key_retirement.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { shortestWait } from '../../src/token/key_rules.ts';
import {
  givenUp,
  isReadyToSign,
  readyToSign,
  removed,
  retired,
  rotated,
} from '../../src/token/key_steps.ts';
import { at } from '../store/fixtures.ts';
import { aKey, edwards, first, minute, rules, second } from './rotation_keys.ts';

const made = aKey('made');
const wish = { wait: shortestWait };
const atOnce = { wait: milliseconds(0) };

describe('rotating', () => {
  test('adds the key and dates the one before it', () => {
    const seen = [first];
    const key = { ...made, signsFrom: at(10 * minute) };
    const predecessor = { kid: 'first', signsFrom: at(0), retiresAt: at(40 * minute) };
    assert.deepEqual(rotated(seen, { rules, wish, now: at(0), made, seen }), {
      after: [{ ...first, ...predecessor }, key],
      outcome: { step: 'add', key, predecessors: [predecessor] },
    });
  });

  test('makes the key that waits sign, in an emergency', () => {
    const seen = [first, second];
    const { after, outcome } = rotated(seen, { rules, wish: atOnce, now: at(5), made, seen });
    assert.deepEqual(after, [
      { ...first, retiresAt: at(5 + 30 * minute) },
      { ...second, signsFrom: at(5) },
    ]);
    assert.deepEqual([outcome.step, outcome.key], ['hasten', after[1]]);
  });

  test('changes nothing where a key waits, or another command was faster', () => {
    const request = { rules, wish, now: at(5), made, seen: [first] };
    const keys = [first, second];
    assert.deepEqual(rotated(keys, request), {
      after: keys,
      outcome: { step: 'wait', key: second, predecessors: [] },
    });
    const signing = [first, { ...second, signsFrom: at(4) }];
    for (const hurry of [wish, atOnce]) {
      assert.deepEqual(rotated(signing, { ...request, wish: hurry }), {
        after: signing,
        outcome: { step: 'overtaken', key: signing[1], predecessors: [] },
      });
    }
    // What has begun to sign since the command before is its predecessor, not its like.
    assert.equal(rotated(signing, { ...request, seen: signing }).outcome.step, 'add');
    // A first start has made the first key in the meantime.
    assert.equal(rotated([first], { ...request, seen: [] }).outcome.step, 'overtaken');
  });

  test('to another algorithm takes no notice of who signs', () => {
    const change = { ...wish, algorithm: 'EdDSA' } as const;
    const ahead = aKey('ahead', { algorithm: 'EdDSA' });
    const request = { rules, wish: change, now: at(5), made: ahead, seen: [] };
    assert.deepEqual(rotated([first], request).after, [first, ahead]);
    assert.equal(rotated([first, ahead], request).outcome.step, 'stand');
  });
});

test('retiring removes what is due and dates what was given up', () => {
  const third = aKey('third', { signsFrom: at(20 * minute) });
  assert.deepEqual(retired([first, second, third], rules, at(40 * minute)).after, [second, third]);
  const fresh = aKey('fresh', { algorithm: 'EdDSA', signsFrom: at(5) });
  assert.deepEqual(retired([first, fresh], edwards, at(6)).after, [
    { ...first, retiresAt: at(6 + 30 * minute) },
    fresh,
  ]);
});

test('removing one key lets its successor sign, or its predecessor go on', () => {
  const dated = { ...first, retiresAt: at(40 * minute) };
  const hastened = { ...second, signsFrom: at(5) };
  assert.deepEqual(removed([dated, second], rules, first, at(5)).after, [hastened]);
  assert.deepEqual(removed([dated, second], rules, second, at(5)).after, [first]);
  assert.deepEqual(removed([first], rules, first, at(5)), {
    after: [first],
    plan: { refusal: 'only_key' },
  });
  // Another command has removed it already.
  assert.deepEqual(removed([first], rules, second, at(5)), {
    after: [first],
    plan: { key: second },
  });
});

describe('a server that begins to sign', () => {
  test('needs a key of its algorithm, and makes none where another start was faster', () => {
    const edward = aKey('made', { algorithm: 'EdDSA', signsFrom: at(1) });
    assert.deepEqual(
      [isReadyToSign([first], 'ES256'), isReadyToSign([first], 'EdDSA')],
      [true, false],
    );
    assert.deepEqual(readyToSign([first], edward), [first, edward]);
    assert.deepEqual(readyToSign([first], made), [first]);
  });

  test('takes a key back that was dated while the programme did not sign with it', () => {
    const keys = [
      { ...first, retiresAt: at(700) },
      { ...second, retiresAt: at(800) },
    ];
    assert.equal(isReadyToSign(keys, 'ES256'), false);
    assert.deepEqual(readyToSign(keys, made), [keys[0], second]);
  });
});

describe('a programme that signs no more', () => {
  const former = { kind: rules.kind, longestToken: rules.longestToken };
  const dated = { ...first, retiresAt: at(minute) };

  test('gives each of its keys an end, those that have one keep it', () => {
    assert.deepEqual(givenUp([dated, second, aKey('ahead')], at(900)), [
      dated,
      { ...second, retiresAt: at(900) },
      aKey('ahead', { retiresAt: at(900) }),
    ]);
  });

  test('may retire them at their end, and not before a server has given them one', () => {
    assert.deepEqual(retired([first, dated], former, at(minute)).after, [first]);
    assert.deepEqual(removed([dated], former, dated, at(0)).after, []);
    assert.deepEqual(removed([first, dated], former, first, at(0)).plan, { refusal: 'undated' });
  });
});
