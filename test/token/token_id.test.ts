// Tests of token identifiers (P-7).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import { tokenIdMaker } from '../../src/token/token_id.ts';

const now = instant(Date.parse('2026-01-02T03:04:05Z'));

test('a uuid, never the same', () => {
  const make = tokenIdMaker('uuid');
  const many = Array.from({ length: 1000 }, () => make(now));
  assert.equal(new Set(many).size, 1000);
  for (const id of many)
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('P-7: a whole number that JSON readers keep, now and in sixty years', () => {
  for (const date of ['2020-01-01T00:00:01Z', '2026-01-02T03:04:05Z', '2089-01-01T00:00:00Z']) {
    const make = tokenIdMaker('number', () => 1023);
    const text = make(instant(Date.parse(date)));
    assert.match(text, /^[1-9]\d*$/);
    assert.ok(Number.isSafeInteger(Number(text)), date);
    assert.equal(JSON.stringify(JSON.parse(text)), text);
  }
});

test('P-7: any number in one millisecond differ, and later ones are greater', () => {
  const make = tokenIdMaker('number');
  const many = Array.from({ length: 5000 }, () => make(now));
  assert.equal(new Set(many).size, 5000);
  const later = Number(make(instant(now + 1)));
  for (const id of many) assert.ok(Number(id) < later);
});

test('P-7: processes with numbers of their own never make the same, whatever their clocks say', () => {
  const makers = [0, 1, 511, 1023].map((node) => tokenIdMaker('number', () => node));
  const many = [0, 0, 1, 2, 2, 0, 1000].flatMap((later) =>
    makers.flatMap((make) => Array.from({ length: 50 }, () => make(instant(now + later)))),
  );
  assert.equal(new Set(many).size, many.length);
  assert.ok(many.every((id) => Number.isSafeInteger(Number(id))));
});
