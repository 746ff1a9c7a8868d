// Owns the check that no text of 64 KiB, whatever it repeats, is slow to read.

import { test } from 'node:test';

import { maxYamlBytes } from '../../../src/lib/yaml/yaml.ts';
import { step } from '../../support/property.ts';
import { assertHarmless } from './harmless.ts';

// Each unit is repeated up to 64 KiB: what recursion, backtracking or quadratic checks choke on.
const nesting = ['[', '{', '- ', '? ', 'a: ', '[a: ', '{a: {', '{"a":', '? - ', '-\n', 'a: [\n'];
const closing = String.raw`[] ] } {} " ' '' \" > 9e 0 1.`.split(' ').concat('"a": ', '}-\n:\n');
const names = ['!a ', '&a ', '*a ', '&a &b ', '<<: *a\n', '%a\n', '\ta: \n\n*a - ', '@\n', '- @\n'];
const lines = ['#\n', ' #\n', '---\n', '...\n', 'a\n', '\n', ' \n', '\t\n', '|\n', '|2\n', '- |\n'];
const keys = ['a:\n', ':', ': ', ',', 'k\n: ', '1: ', 'a: 1\n', '__proto__: 1\n'];
const characters = ['\r', '\0', '\ud800', '\uFEFF'];
const bombs = [nesting, closing, names, lines, keys, characters].flat();

test('HOSTILE 54: no text of 64 KiB takes a second, none throws, all faults lie in it', () => {
  for (const [index, unit] of bombs.entries()) {
    const text = unit.repeat(Math.floor(maxYamlBytes / Buffer.byteLength(unit)));
    assertHarmless(text, JSON.stringify(unit));
    if (index % step === 0)
      assertHarmless(`a: "${text.slice(4)}`, `quoted ${JSON.stringify(unit)}`);
  }
  const many = Array.from({ length: 6000 }, (_, index) => `k${index}: 1`).join('\n');
  assertHarmless(many, '6000 keys');
  assertHarmless('k: 1\n'.repeat(60_000), '300 KB');
  assertHarmless('['.repeat(30_000), '30000 brackets');
  assertHarmless('x'.repeat(20_000_000), '20 MB');
});
