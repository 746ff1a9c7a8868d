// Owns the check of what people read about broken YAML.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { read } from './read.ts';

const indent = 'all mapping items must start at the same column';
const secondColon = 'nested mappings are not allowed in compact mappings';
const unclosed = (kind: string, end: string) =>
  `${kind} in block collection must be sufficiently indented and end with a ${end}`;

// Text and its faults: one a line, each where a person would look for it.
const broken: readonly (readonly [string, readonly string[]])[] = [
  ['a: b: c', [`1:4: error: ${secondColon}`]],
  ['a: 1\n  b: 2', [`1:4: error: ${secondColon}`]],
  ['foo\nbar: 1', ['1:1: error: implicit keys need to be on a single line']],
  ['foo: 1\nbar', ['2:1: error: implicit map keys need to be followed by map values']],
  ['a:\n  b: 1\n c: 2', [`3:2: error: ${indent}`]],
  ['x:\n  - a\n - b\n', ['3:2: error: a block sequence may not be used as an implicit map key']],
  ['a: |\n    x\n  y\nz: 1', [`3:3: error: ${indent}`]],
  ['a:\n\tb: 1', ['2:1: error: a tab cannot indent (use spaces)']],
  ['a: "x\n', ['1:4: error: the quote opened here with " is not closed']],
  ["a: 'it''\n", ["1:4: error: the quote opened here with ' is not closed"]],
  ['"a\\"', ['1:1: error: the quote opened here with " is not closed']],
  ["a: 'it's'", ['1:8: error: unexpected scalar at node end']],
  ['a: [1, 2\nb: @x', [`1:4: error: ${unclosed('flow sequence', ']')}`]],
  ['a: {b: [1', [`1:4: error: ${unclosed('flow map', '}')}`]],
  ['[[1]', ['1:1: error: flow sequence must end with a ]']],
  ['a: [1,,2]', ['1:7: error: unexpected , in flow sequence']],
  ['a: ]', ['1:4: error: unexpected flow-seq-end token in YAML stream']],
  ['a: {"b":1, "c"2}', ['1:15: error: missing , or : between flow map items']],
  ['a: {b c: 1 d: 2}', ['1:10: error: block collections are not allowed within flow collections']],
  ['a: - b', ['1:4: error: unexpected block-seq-ind on same line with key']],
  ['a: |x\n  y', ['1:5: error: block scalar header includes extra characters']],
  ['a: "\\q"', ['1:5: error: invalid escape sequence']],
  [
    'a: "x"#c',
    ['1:7: error: comments must be separated from other tokens by white space characters'],
  ],
  [
    '--- a: 1',
    ['1:5: error: block collection cannot start on same line with directives-end marker'],
  ],
  [
    `${'k'.repeat(1025)}: 1`,
    [
      '1:1: error: the : indicator must be at most 1024 chars after the start of an implicit block mapping key',
    ],
  ],
  [
    'a: @x\nb: 1\nc: `y\nb: 2\nd: "z" w\n',
    [
      '1:4: error: plain value cannot start with reserved character @',
      '3:4: error: plain value cannot start with reserved character `',
      '4:1: error: the key "b" is already given at line 2',
      '5:8: error: unexpected scalar at node end',
    ],
  ],
];

test('broken syntax is told where a person would look for it, every fault in one run', () => {
  for (const [text, faults] of broken) {
    const expected = faults.map((fault) => `f:${fault}`);
    assert.deepEqual(read(text), { faults: expected, rooted: false }, JSON.stringify(text));
  }
});
