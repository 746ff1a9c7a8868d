// Contrast as WCAG 2.2 computes it, and the colours proposed in place of those that lack it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contrast, formatRatio, mix, standOut } from '../../src/lib/contrast.ts';

test('contrast is that of WCAG 2.2, whichever colour comes first', () => {
  const known: readonly (readonly [string, string, string])[] = [
    ['#000000', '#ffffff', '21.00'],
    ['#777777', '#ffffff', '4.47'],
    ['#767676', '#FFFFFF', '4.54'],
    ['#ff0000', '#ffffff', '3.99'],
    ['#123456', '#123456', '1.00'],
  ];
  for (const [one, other, ratio] of known) {
    assert.equal(formatRatio(contrast(one, other)), ratio);
    assert.equal(contrast(one, other), contrast(other, one));
  }
});

test('a ratio is never shown as more than it is', () => {
  assert.equal(formatRatio(4.499), '4.49');
});

test('a colour that stands out is left alone, another one moves as little as it must', () => {
  assert.equal(standOut('#0b4f8a', '#ffffff', 4.5), '#0b4f8a');
  for (const [colour, from] of [
    ['#f0a000', '#ffffff'],
    ['#12305e', '#1b242e'],
    ['#808080', '#7f7f7f'],
  ] as const) {
    const found = standOut(colour, from, 4.5);
    assert.ok(contrast(found, from) >= 4.5, found);
    assert.ok(contrast(found, from) < 5.2, found);
  }
});

test('where no colour stands out enough, it is black or white', () => {
  assert.equal(standOut('#777777', '#777777', 20), '#000000');
});

test('colours mix by share', () => {
  assert.equal(mix('#000000', '#ffffff', 0.5), '#808080');
  assert.equal(mix('#123456', '#ffffff', 0), '#123456');
});
