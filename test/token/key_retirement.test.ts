// Tests of the planning of what signing keys may go, on a set clock.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { planRemoval, planRetirement } from '../../src/token/key_rotation.ts';
import { at } from '../store/fixtures.ts';
import { aKey, edwards, first, minute, rules, second } from './rotation_keys.ts';

const nothing = { remove: [], date: [], keep: [] };

describe('retiring', () => {
  test('removes what is due and names the rest, never the key that signs', () => {
    const third = aKey('third', { signsFrom: at(20 * minute) });
    const keys = [first, second, third];
    assert.deepEqual(planRetirement(keys, rules, at(40 * minute)), {
      ...nothing,
      remove: [first],
      keep: [{ key: second, retiresAt: at(50 * minute) }],
    });
    assert.deepEqual(planRetirement(keys, rules, at(400 * minute)).remove, [first, second]);
    assert.deepEqual(planRetirement([first], rules, at(400 * minute)), nothing);
  });

  test('a marked key that signs again stays', () => {
    const again = { ...first, retiresAt: at(1) };
    assert.deepEqual(planRetirement([again], rules, at(400 * minute)).remove, []);
  });

  test('an algorithm that was given up is dated once a server signs with the new one', () => {
    assert.deepEqual(planRetirement([first], edwards, at(5)), {
      ...nothing,
      keep: [{ key: first }],
    });
    const fresh = aKey('fresh', { algorithm: 'EdDSA', signsFrom: at(5) });
    const retiresAt = at(6 + 30 * minute);
    assert.deepEqual(planRetirement([first, fresh], edwards, at(6)), {
      remove: [],
      date: [{ kid: 'first', retiresAt }],
      keep: [{ key: first, retiresAt }],
    });
    // A server that has the former file signs with it still.
    assert.deepEqual(planRetirement([first, fresh], edwards, at(6), ['ES256', 'EdDSA']), {
      ...nothing,
      keep: [{ key: first }],
    });
    assert.deepEqual(planRetirement([{ ...first, retiresAt }, fresh], edwards, retiresAt), {
      ...nothing,
      remove: [{ ...first, retiresAt }],
    });
  });
});

describe('removing one key whatever its time', () => {
  const marked = { ...first, retiresAt: at(40 * minute) };

  test('is refused for the only key, and for the one that signs where none waits', () => {
    assert.deepEqual(planRemoval([first], rules, first, at(0)), { refusal: 'only_key' });
    const keys = [first, second];
    assert.deepEqual(planRemoval(keys, rules, second, at(20 * minute)), { refusal: 'signs' });
    // No server was restarted since the algorithm was changed: either may be what signs.
    assert.deepEqual(planRemoval(keys, edwards, first, at(20 * minute)), { refusal: 'signs' });
  });

  test('lets the key that waits sign in its place', () => {
    assert.deepEqual(planRemoval([first, second], rules, first, at(5)), {
      key: first,
      hasten: second,
    });
  });

  test('of the key that waits leaves the one before it without an end', () => {
    assert.deepEqual(planRemoval([marked, second], rules, second, at(5)), {
      key: second,
      reprieve: marked,
    });
  });

  test('of one that only verifies, or is ahead, changes nothing else', () => {
    const ahead = aKey('ahead', { algorithm: 'EdDSA' });
    assert.deepEqual(planRemoval([marked, second], rules, marked, at(20 * minute)), {
      key: marked,
    });
    assert.deepEqual(planRemoval([first, ahead], rules, ahead, at(5)), { key: ahead });
  });
});
