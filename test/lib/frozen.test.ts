// Tests of frozen records: equal to what they were made of, and nobody's to change.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { frozen, frozenCopy } from '../../src/lib/frozen.ts';

const text = '{"a":1,"b":{"c":["x",{"d":null}],"__proto__":{"e":true}},"f":"g"}';

function everyPart(record: unknown, visit: (part: object) => void): void {
  if (typeof record !== 'object' || record === null) return;
  visit(record);
  for (const part of Object.values(record)) everyPart(part, visit);
}

test('a frozen copy is equal, frozen in every part, and shares none with the original', () => {
  const original = JSON.parse(text) as object;
  const copy = frozenCopy(original);
  assert.equal(JSON.stringify(copy), text);
  const parts = new Set<object>();
  everyPart(original, (part) => {
    assert.equal(Object.isFrozen(part), false);
    parts.add(part);
  });
  let seen = 0;
  everyPart(copy, (part) => {
    seen += 1;
    assert.equal(Object.isFrozen(part), true);
    assert.equal(parts.has(part), false);
  });
  assert.equal(seen, parts.size);
  assert.equal(Object.getPrototypeOf((copy as { b: object }).b), Object.prototype);
});

test('freezing in place freezes every part', () => {
  const record = JSON.parse(text) as object;
  assert.equal(frozen(record), record);
  everyPart(record, (part) => assert.equal(Object.isFrozen(part), true));
  assert.equal(frozen(undefined), undefined);
});
