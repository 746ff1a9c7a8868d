// Owns the check that hostile text is refused quickly and in place, whatever it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { maxYamlBytes, maxYamlDepth } from '../../../src/lib/yaml/yaml.ts';
import { anyText, fc } from '../../support/property.ts';
import { assertHarmless } from './harmless.ts';
import { read } from './read.ts';

const tooLarge = (bytes: number) => [
  `f:1:1: error: the file holds ${bytes} bytes; at most 65536 are read`,
];

test('HOSTILE 54: at most 64 KiB, counted in bytes', () => {
  const room = maxYamlBytes - 'a: '.length;
  assert.deepEqual(read(`a: ${'x'.repeat(room)}`).faults, []);
  assert.deepEqual(read(`a: ${'x'.repeat(room + 1)}`).faults, tooLarge(65_537));
  assert.deepEqual(read(`a: ${'é'.repeat((room + 1) / 2)}`).faults, tooLarge(65_537));
});

test('HOSTILE 54: maps and lists nest at most 32 deep', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  assert.deepEqual(read(nested(maxYamlDepth)).faults, []);
  const deep = 'error: maps and lists nest more than 32 deep from here';
  assert.deepEqual(read(nested(33)), { faults: [`f:1:33: ${deep}`], rooted: false });
  const steps = (count: number) =>
    Array.from({ length: count }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
  assert.deepEqual(read(`${steps(32)} 1`).faults, []);
  assert.deepEqual(read(`${steps(33)} 1`).faults, [`f:33:33: ${deep}`]);
});

test('HOSTILE 54: many faults are told up to a hundred, then counted', () => {
  const { faults, rooted } = read('a: 1\n'.repeat(13_000));
  assert.ok(rooted);
  assert.equal(faults.length, 101);
  assert.equal(faults[99], 'f:101:1: error: the key "a" is already given at line 1');
  assert.equal(faults[100], 'f:102:1: error: 12899 more faults from here on');
});

test('property: random text never throws, its faults lie in it', () => {
  const pieces = Array.from(`[]{}:?-#|>&*!%@\`"'\\ \n\t,~0a`).concat(
    ': ',
    '- ',
    '\n  ',
    'a: ',
    '---\n',
    '\r\n',
  );
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...pieces), maxLength: 40 }),
    anyText(40),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((codes) => String.fromCharCode(...codes)),
  );
  fc.assert(
    fc.property(text, (one) => assertHarmless(one, JSON.stringify(one))),
    { numRuns: 2000 },
  );
});

test('property: mutated programmes never throw, their faults lie in them', () => {
  const programme = 'variant: grant\nclient:\n  id: "00123"\n  roles: [a, b]\nlogin: {brand: x}\n';
  const place = fc.nat({ max: programme.length });
  const mutation = fc.tuple(place, fc.nat({ max: 3 }), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(mutation, { maxLength: 3 }), (mutations) => {
      const text = mutations.reduce((before, [start, length, added]) => {
        return before.slice(0, start) + added + before.slice(start + length);
      }, programme);
      assertHarmless(text, JSON.stringify(text));
    }),
    { numRuns: 2000 },
  );
});

test('a file in UTF-16 is told once, whichever end comes first', () => {
  const text = 'name: A\nbase_path: /a\n';
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const files = [little, Buffer.from(little).swap16(), little.subarray(2)];
  for (const bytes of files) {
    assert.deepEqual(read(bytes.toString('utf8')), {
      faults: ['f:1:1: error: the file is in UTF-16 (save it as UTF-8)'],
      rooted: false,
    });
  }
});
