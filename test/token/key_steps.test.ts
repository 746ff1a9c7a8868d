// Tests of the steps that a programme's keys take as a whole, on a set clock; what follows from a line is
// tested in key_line.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { shortestWait } from '../../src/token/key_rules.ts';
import { removed, retired, rotated } from '../../src/token/key_steps.ts';
import { aSigningKey, at } from '../store/fixtures.ts';
import { edwards, first, lasting, minute, rules, second } from './rotation_keys.ts';

const made = aSigningKey('made');
const wish = { wait: shortestWait };
const atOnce = { wait: milliseconds(0) };
const own = { longestToken: rules.longestToken };

describe('rotating', () => {
  test('publishes a key that signs after the wait, and says when the one before may go', () => {
    const seen = [first];
    const key = { ...made, ...own, signsFrom: at(100 + 10 * minute) };
    assert.deepEqual(rotated(seen, { rules, wish, now: at(100), made, seen }), {
      after: [{ ...first, ...own }, key],
      outcome: {
        step: 'add',
        key,
        predecessors: [{ kid: 'first', retiresAt: at(100 + 40 * minute) }],
      },
    });
    // It signed for longer once.
    const day = [{ ...first, longestToken: lasting(86_400) }];
    const { outcome } = rotated(day, { rules, wish, now: at(0), made, seen });
    assert.deepEqual(outcome.predecessors, [{ kid: 'first', retiresAt: at(86_400 + 10 * minute) }]);
  });

  test('again while a key waits changes nothing; the next one comes after it signs', () => {
    const keys = [first, second];
    const request = { rules, wish, made, seen: keys };
    assert.deepEqual(rotated(keys, { ...request, now: at(10 * minute - 1) }), {
      after: keys,
      outcome: { step: 'wait', key: { ...second, ...own }, predecessors: [] },
    });
    assert.equal(rotated(keys, { ...request, now: at(10 * minute) }).outcome.step, 'add');
  });

  test('in an emergency the key that waits signs now, or a new one does', () => {
    const seen = [first, second];
    const request = { rules, wish: atOnce, now: at(5), made, seen };
    const predecessors = [{ kid: 'first', retiresAt: at(5 + 30 * minute) }];
    const key = { ...second, ...own, signsFrom: at(5) };
    assert.deepEqual(rotated(seen, request), {
      after: [{ ...first, ...own }, key],
      outcome: { step: 'hasten', key, predecessors },
    });
    const added = { ...made, ...own, signsFrom: at(5) };
    assert.deepEqual(rotated([first], { ...request, seen: [first] }), {
      after: [{ ...first, ...own }, added],
      outcome: { step: 'add', key: added, predecessors },
    });
  });

  test('changes nothing where another command was faster', () => {
    const request = { rules, wish, now: at(5), made, seen: [first] };
    const signing = [first, { ...second, signsFrom: at(4) }];
    for (const hurry of [wish, atOnce]) {
      const { after, outcome } = rotated(signing, { ...request, wish: hurry });
      assert.deepEqual([after, outcome.step, outcome.key.kid], [signing, 'overtaken', 'second']);
    }
    // What has begun to sign since the command before is its predecessor, not its like.
    assert.equal(rotated(signing, { ...request, seen: signing }).outcome.step, 'add');
    // A first start has made the first key in the meantime.
    assert.equal(rotated([first], { ...request, seen: [] }).outcome.step, 'overtaken');
  });

  test('the first key of all waits for nobody; the first of an algorithm does', () => {
    const begins = (keys: readonly (typeof first)[], by = rules): unknown =>
      rotated(keys, { rules: by, wish, now: at(7), made, seen: keys }).outcome.key.signsFrom;
    assert.equal(begins([]), at(7));
    assert.equal(begins([first], edwards), at(7 + 10 * minute));
  });

  test('for a change of algorithm to come publishes one key, which is not told when to sign', () => {
    const change = { ...wish, algorithm: 'EdDSA' } as const;
    const ahead = aSigningKey('ahead', { algorithm: 'EdDSA' });
    // It takes no notice of who signs.
    const request = { rules, wish: change, now: at(5), made: ahead, seen: [] };
    assert.deepEqual(rotated([first], request), {
      after: [first, ahead],
      outcome: { step: 'add', key: ahead, predecessors: [] },
    });
    assert.equal(rotated([first, ahead], request).outcome.step, 'stand');
    // Once it signs, its successor must not find it without a beginning: it would sort behind.
    const keys = [first, ahead];
    const next = aSigningKey('made', { algorithm: 'EdDSA' });
    const later = { ...request, rules: edwards, now: at(9), made: next, seen: keys };
    const { after, outcome } = rotated(keys, later);
    assert.deepEqual(after.slice(0, 2), [first, { ...ahead, ...own, signsFrom: at(9) }]);
    assert.equal(outcome.key.signsFrom, at(9 + 10 * minute));
    assert.deepEqual(outcome.predecessors, [{ kid: 'ahead', retiresAt: at(9 + 40 * minute) }]);
  });
});

describe('retiring', () => {
  test('removes what is due and names the rest, never the key that signs', () => {
    const third = aSigningKey('third', { signsFrom: at(20 * minute) });
    const keys = [first, second, third];
    assert.deepEqual(retired(keys, rules, at(40 * minute)), {
      after: [second, third],
      outcome: { remove: [first], keep: [{ key: second, retiresAt: at(50 * minute) }] },
    });
    const { outcome } = retired(keys, rules, at(400 * minute));
    assert.deepEqual(outcome.remove, [first, second]);
    for (const key of [first, { ...first, signedUntil: at(1) }, { ...first, retiresAt: at(1) }]) {
      const alone = { after: [key], outcome: { remove: [], keep: [] } };
      assert.deepEqual(retired([key], rules, at(400 * minute)), alone);
    }
  });

  test('marks an algorithm that was given up once a server signs with the new one', () => {
    const undated = { remove: [], keep: [{ key: first }] };
    assert.deepEqual(retired([first], edwards, at(5)), { after: [first], outcome: undated });
    const fresh = aSigningKey('fresh', { algorithm: 'EdDSA', signsFrom: at(5) });
    // A server that has the former file signs with it still.
    assert.deepEqual(retired([first, fresh], edwards, at(6), ['ES256', 'EdDSA']).outcome, undated);
    const over = { ...first, signedUntil: at(6) };
    const retiresAt = at(6 + 30 * minute);
    assert.deepEqual(retired([first, fresh], edwards, at(6)), {
      after: [over, fresh],
      outcome: { remove: [], keep: [{ key: over, retiresAt }] },
    });
    assert.deepEqual(retired([over, fresh], edwards, retiresAt).outcome.remove, [over]);
  });
});

describe('removing one key whatever its time', () => {
  test('is refused for the only key, and for the one that signs where none waits', () => {
    const refusal = (...args: Parameters<typeof removed>): unknown => removed(...args).outcome;
    assert.deepEqual(refusal([first], rules, first, at(0)), { refusal: 'only_key' });
    const keys = [first, second];
    assert.deepEqual(refusal(keys, rules, second, at(20 * minute)), { refusal: 'signs' });
    // No server was restarted since the algorithm was changed: either may be what signs.
    assert.deepEqual(refusal(keys, edwards, first, at(20 * minute)), { refusal: 'signs' });
  });

  test('lets the key that waits sign in its place, also where an older one is left', () => {
    const third = aSigningKey('third', { signsFrom: at(20 * minute) });
    const begun = { ...third, signsFrom: at(700) };
    assert.deepEqual(removed([second, third], rules, second, at(700)).after, [begun]);
    assert.deepEqual(removed([first, second, third], rules, second, at(700)).after, [first, begun]);
  });

  test('of the key that waits leaves the one before it without an end', () => {
    assert.deepEqual(removed([first, second], rules, second, at(5)).after, [first]);
  });

  test('FAULTS 24: of a key in the middle never brings the end of the one before it nearer', () => {
    const third = aSigningKey('third', { signsFrom: at(20 * minute) });
    const now = at(21 * minute);
    const endIn = (keys: readonly object[]): number =>
      retired(keys as (typeof first)[], rules, now).outcome.keep[0]?.retiresAt ?? 0;
    const { after } = removed([first, second, third], rules, second, now);
    assert.deepEqual(after, [first, third]);
    assert.ok(endIn(after) >= endIn([first, second, third]));
  });

  test('of one that only verifies, or is ahead, changes nothing else; a gone one is gone', () => {
    const ahead = aSigningKey('ahead', { algorithm: 'EdDSA' });
    const { after, outcome } = removed([first, second], rules, first, at(20 * minute));
    assert.deepEqual([after, outcome], [[second], { key: first }]);
    assert.deepEqual(removed([first, ahead], rules, ahead, at(5)).after, [first]);
    // Another command has removed it already.
    assert.deepEqual(removed([first], rules, second, at(5)), {
      after: [first],
      outcome: { key: second },
    });
  });

  test('of a programme that signs no more is refused until a server has marked the end', () => {
    const former = { kind: rules.kind, longestToken: rules.longestToken };
    const over = { ...first, signedUntil: at(minute) };
    assert.deepEqual(removed([over], former, over, at(0)).after, []);
    assert.deepEqual(removed([first], former, first, at(0)).outcome, { refusal: 'undated' });
    assert.deepEqual(retired([over], former, at(31 * minute)).after, []);
    assert.deepEqual(retired([first], former, at(31 * minute)).after, [first]);
  });
});
