// Tests of durations as people write them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { formatDuration, parseDuration } from '../../src/lib/duration.ts';
import { fc } from '../support/property.ts';

test('a whole number and a unit', () => {
  const spans = { '0s': 0, '1ms': 1, '90s': 90_000, '30m': 1_800_000, '24h': 86_400_000 };
  for (const [text, span] of Object.entries(spans)) assert.equal(parseDuration(text), span, text);
  assert.equal(parseDuration('30d'), 30 * 86_400_000);
  assert.equal(parseDuration('007s'), 7000);
});

test('nothing else is a duration', () => {
  const texts = '5 s -5s +5s 1.5h 1e3s 1h30m 5S 5min 5w 5constructor ٥s 1234567890s Infinitys';
  for (const text of [...texts.split(' '), '', '5 s', ' 5s', '5s ', '5s\n']) {
    assert.equal(parseDuration(text), undefined, JSON.stringify(text));
  }
});

test('every duration is written as the shortest text that is read as it', () => {
  const unit = fc.constantFrom('ms', 's', 'm', 'h', 'd');
  fc.assert(
    fc.property(fc.nat(999_999), unit, (count, name) => {
      const span = parseDuration(`${count}${name}`);
      assert.ok(span !== undefined);
      const text = formatDuration(span);
      assert.equal(parseDuration(text), span);
      assert.ok(text.length <= `${count}${name}`.length);
    }),
  );
  assert.equal(formatDuration(milliseconds(0)), '0s');
  assert.equal(formatDuration(milliseconds(1500)), '1500ms');
  assert.equal(formatDuration(milliseconds(86_400_000)), '1d');
  assert.equal(formatDuration(milliseconds(5_400_000)), '90m');
});
