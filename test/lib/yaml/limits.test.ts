// Owns the check that hostile text is refused quickly and in place, whatever it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  maxYamlBytes,
  maxYamlDepth,
  type ParsedYaml,
  parseYaml,
} from '../../../src/lib/yaml/yaml.ts';
import { anyText, fc, step } from '../../support/property.ts';
import { cpuTimeOf } from '../../support/usage.ts';
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

function assertHarmless(text: string, name: string): void {
  const { root, faults } = readQuickly(text, name);
  assert.ok(root !== undefined || faults.length > 0, name);
  const inside = text.split('\n');
  for (const { at, message, severity } of faults) {
    const line = inside[at.line - 1];
    assert.ok(line !== undefined && at.column >= 1 && at.column <= line.length + 1, name);
    assert.equal(severity, 'error');
    assert.match(message, /^[^\n\p{Cc}]+$/u, name);
    assert.doesNotMatch(message, /cannot be read as YAML/, name);
  }
}

/** Reads a text within some seconds of the processor's time. */
function readQuickly(text: string, name: string): ParsedYaml {
  let parsed: ParsedYaml | undefined;
  const took = cpuTimeOf(() => {
    parsed = parseYaml('f', text);
  });
  assert.ok(parsed !== undefined && took < 4000, `${name} takes ${took} ms`);
  return parsed;
}

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
