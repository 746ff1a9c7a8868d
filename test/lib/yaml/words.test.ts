// Owns the check of what people read about broken YAML.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { read } from './read.ts';

const loose =
  'a key must stand on one line (a ":" is missing here, or the next line is indented too deep)';
const indent = 'the indentation does not fit the lines before it';
const secondColon =
  'a second "key:" on one line (quote the value, or put the inner keys on lines of their own, indented)';
const looseItem =
  'a list item cannot start here (put it on a line of its own, under the key of its list)';
const escape = 'unknown escape in double quotes (write \\\\ for a backslash, or use single quotes)';
const noComma =
  'a "," is missing, or indented lines stand inside [ ] or { } (texts with ": " in them stand in quotes)';

// Text and its faults: one a line, each where a person would look for it.
const broken: readonly (readonly [string, readonly string[]])[] = [
  ['a: b: c', [`1:4: error: ${secondColon}`]],
  ['a: 1\n  b: 2', [`1:4: error: ${loose}`]],
  ['foo\nbar: 1', [`1:1: error: ${loose}`]],
  ['foo: 1\nbar', ['2:1: error: expected "key: value", found no ":"']],
  ['a:\n  b: 1\n c: 2', [`3:2: error: ${indent}`]],
  ['x:\n  - a\n - b\n', [`3:2: error: ${indent}`]],
  ['a: |\n    x\n  y\nz: 1', [`3:3: error: ${indent}`]],
  ['a:\n\tb: 1', ['2:1: error: a tab cannot indent (use spaces)']],
  ['a: "x\n', ['1:4: error: the quote opened here with " is not closed']],
  ["a: 'it''\n", ["1:4: error: the quote opened here with ' is not closed"]],
  ['"a\\"', ['1:1: error: the quote opened here with " is not closed']],
  ["a: 'it's'", ['1:8: error: unexpected "s\'"']],
  [
    'a: [1, 2\nb: @x',
    ['1:4: error: the [ opened here is not closed, or its lines are not indented'],
  ],
  ['a: {b: 1', ['1:4: error: the { opened here is not closed, or its lines are not indented']],
  ['a: [1,,2]', ['1:7: error: unexpected ","']],
  ['a: ]', ['1:4: error: unexpected "]"']],
  ['a: {"b":1, "c"2}', ['1:15: error: a "," or ":" is missing']],
  ['a: {b c: 1 d: 2}', [`1:10: error: ${noComma}`]],
  ['a: - b', [`1:4: error: ${looseItem}`]],
  ['a: |x\n  y', ['1:5: error: block text must start on the line after "|" or ">"']],
  ['a: "\\q"', [`1:5: error: ${escape}`]],
  ['a: "x"#c', ['1:7: error: a comment needs a space before its "#"']],
  ['--- a: 1', ['1:5: error: keys and list items must start on the line after "---"']],
  [`${'k'.repeat(1025)}: 1`, ['1:1: error: a key may have at most 1024 characters']],
  [
    'a: @x\nb: 1\nc: `y\nb: 2\nd: "z" w\n',
    [
      '1:4: error: text cannot start with "@" (put it in quotes)',
      '3:4: error: text cannot start with "`" (put it in quotes)',
      '4:1: error: the key "b" is already given at line 2',
      '5:8: error: unexpected "w"',
    ],
  ],
];

test('broken syntax is told in our words, every fault in one run', () => {
  for (const [text, faults] of broken) {
    const expected = faults.map((fault) => `f:${fault}`);
    assert.deepEqual(read(text), { faults: expected, rooted: false }, JSON.stringify(text));
  }
});
