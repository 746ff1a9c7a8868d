// Owns the check of what a YAML text becomes and what of YAML is not read.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toPlain } from '../../../src/lib/document.ts';
import { parseYaml, stringifyYaml } from '../../../src/lib/yaml/yaml.ts';
import { fc } from '../../support/property.ts';
import { read } from './read.ts';

function value(text: string): unknown {
  const { root, faults } = parseYaml('f', text);
  assert.deepEqual(faults, []);
  return root && toPlain(root);
}

test('nodes know their places, keys have their own', () => {
  const { root, faults } = parseYaml('f', 'a: 1\nb:\n  - "x"\n  - {c: ~}\nd: |\n  text\ne:\n');
  const at = (line: number, column: number) => ({ file: 'f', line, column });
  const c = { keyAt: at(4, 6), node: { kind: 'scalar', at: at(4, 9), value: null, source: '~' } };
  const items = [
    { kind: 'scalar', at: at(3, 5), value: 'x' },
    { kind: 'map', at: at(4, 5), entries: new Map([['c', c]]) },
  ];
  const entries = new Map<string, unknown>([
    ['a', { keyAt: at(1, 1), node: { kind: 'scalar', at: at(1, 4), value: 1, source: '1' } }],
    ['b', { keyAt: at(2, 1), node: { kind: 'list', at: at(3, 3), items } }],
    ['d', { keyAt: at(5, 1), node: { kind: 'scalar', at: at(5, 4), value: 'text\n' } }],
    ['e', { keyAt: at(7, 1), node: { kind: 'scalar', at: at(7, 3), value: null, source: '' } }],
  ]);
  assert.deepEqual({ root, faults }, { root: { kind: 'map', at: at(1, 1), entries }, faults: [] });
});

test('the core schema of YAML 1.2: yes and on are text, plain numbers keep their source', () => {
  const text = '[yes, on, true, 00123, 1.10, 0x1F, 0o17, 1e3, 2001-01-01, ~, null, "1", 1_000]';
  const plain = ['yes', 'on', true, 123, 1.1, 31, 15, 1000, '2001-01-01', null, null, '1', '1_000'];
  assert.deepEqual(value(text), plain);
  const { root } = parseYaml('f', text);
  const sources = root?.kind === 'list' ? root.items.map((item) => 'source' in item) : [];
  assert.deepEqual(
    sources,
    plain.map((_, index) => index !== 11),
  );
});

test('a byte order mark and CR LF are tolerated and do not shift places', () => {
  assert.deepEqual(value('\uFEFFa: 1\r\nb: "x"\r\n'), { a: 1, b: 'x' });
  assert.deepEqual(read('\uFEFFa: @x\r\nb: @y\r\n').faults, [
    'f:1:4: error: plain value cannot start with reserved character @',
    'f:2:4: error: plain value cannot start with reserved character @',
  ]);
});

test('one document may start with --- and end with ...', () => {
  assert.deepEqual(value('# comment\n---\na: 1\n...\n'), { a: 1 });
});

test('an empty file is a fault', () => {
  for (const text of ['', '\n', '# only a comment\n', '---\n', '\uFEFF']) {
    assert.deepEqual(read(text), { faults: ['f:1:1: error: the file is empty'], rooted: false });
  }
});

/** Texts as in JSON, `lost` where the rest of the file cannot be checked, and their faults in full. */
const refusals = String.raw`
"a: 1\n--- \nb: 2" lost
> 2:1: error: a second document starts here; a file holds one
"# \u2028\n\n%YAML 1.1\n---\na: yes" lost
> 3:1: error: directives (%NAME) are not read (remove the line)
"a: 1\n...\n# c\n%YAML 1.1\n" lost
> 4:1: error: directives (%NAME) are not read (remove the line)
"a: !x &y\n  b: *y # &no\n" lost
> 1:4: error: tags (!name) are not read (if this is text, put it in quotes)
> 1:7: error: anchors (&name) are not read (if this is text, put it in quotes)
> 2:6: error: aliases (*name) are not read (write the value out, or quote it if it is text)
"? [*x]\n: [*y]\n" lost
> 1:3: error: a key must be text, not a map or list (quote it if it is text)
> 1:4: error: aliases (*name) are not read (write the value out, or quote it if it is text)
> 2:4: error: aliases (*name) are not read (write the value out, or quote it if it is text)
"*x : 1\n" lost
> 1:1: error: aliases (*name) are not read (write the value out, or quote it if it is text)
> 1:1: error: a key must be text, not a map or list (quote it if it is text)
"a: &b @c\n" lost
> 1:4: error: anchors (&name) are not read (if this is text, put it in quotes)
"a: 1\n...\nb: 2" lost
> 3:1: error: a second document starts here; a file holds one
"%YAML 1.1\n---\na: yes" lost
> 1:1: error: directives (%NAME) are not read (remove the line)
"a: &x 1\nb: *x\nc: *x\n" lost
> 1:4: error: anchors (&name) are not read (if this is text, put it in quotes)
> 2:4: error: aliases (*name) are not read (write the value out, or quote it if it is text)
> 3:4: error: aliases (*name) are not read (write the value out, or quote it if it is text)
"a: &x 1\n"
> 1:4: error: anchors (&name) are not read (if this is text, put it in quotes)
"a: !js x\nb: !!str 1\nc: !!set {d}\n"
> 1:4: error: tags (!name) are not read (if this is text, put it in quotes)
> 2:4: error: tags (!name) are not read (if this is text, put it in quotes)
> 3:4: error: tags (!name) are not read (if this is text, put it in quotes)
"x: {y: 1}\n<<: {a: 1}\n\"<<\": {a: 1}\n"
> 2:1: error: merge keys are not read (write the keys out)
> 3:1: error: merge keys are not read (write the keys out)
"a: 1\nb: {c: 1, \"c\": 2}\na: 3\n\"\\x61\": 4\n"
> 2:11: error: the key "c" is already given at line 2
> 3:1: error: the key "a" is already given at line 1
> 4:1: error: the key "a" is already given at line 1
"__proto__: {a: 1}\nb: {constructor: 1, \"prototype\": 2}\n"
> 1:1: error: the key "__proto__" is not allowed
> 2:5: error: the key "constructor" is not allowed
> 2:21: error: the key "prototype" is not allowed
"007: a\ntrue: b\nnull: c\n: d\n? [e]\n: f\n"
> 1:1: error: the key 007 is read as a number, not as text (put it in quotes: "007")
> 2:1: error: the key true is read as true, not as text (put it in quotes: "true")
> 3:1: error: the key null is read as nothing, not as text (put it in quotes: "null")
> 4:1: error: the key is missing before ":"
> 5:3: error: a key must be text, not a map or list (quote it if it is text)
"a: .inf\nb: .nan\nc: 1e999\n"
> 1:4: error: ".inf" is not a number that can be used
> 2:4: error: ".nan" is not a number that can be used
> 3:4: error: "1e999" is not a number that can be used
"a: \"\\0\"\nb: \"\\ud800\"\n\"\\e\": 1\nc: \"\\t\\n\"\n"
> 1:4: error: this text holds the character NUL, which is not allowed
> 2:4: error: this text holds half a surrogate pair (U+D800), which is not allowed
> 3:1: error: this key holds the control character U+001B, which is not allowed
"a: \u0000\n\u0007b: \ud800\nc: \ufffd\rd: \ufeff" lost
> 1:4: error: the character NUL is not allowed in a file
> 2:1: error: the control character U+0007 is not allowed in a file
> 2:5: error: half a surrogate pair (U+D800) is not allowed in a file
> 3:4: error: the character U+FFFD is not allowed in a file (save the file as UTF-8)
> 3:5: error: a lone carriage return is not allowed in a file (end lines with LF or CR LF)
> 3:9: error: a byte order mark (U+FEFF) inside the text is not allowed in a file`;

function* casesIn(
  table: string,
): Iterable<readonly [text: string, isLost: boolean, faults: string[]]> {
  for (const [, text = '', lost, faults = ''] of table.matchAll(
    /^(".*")( lost)?\n((?:> .*(?:\n|$))+)/gm,
  )) {
    const told = faults.trimEnd().split('\n');
    yield [JSON.parse(text) as string, lost !== undefined, told.map((one) => `f:${one.slice(2)}`)];
  }
}

test('HOSTILE 54: what is not read is refused, each with its place', () => {
  const cases = [...casesIn(refusals)];
  assert.equal(cases.length, 19);
  for (const [text, isLost, faults] of cases) {
    assert.deepEqual(read(text), { faults, rooted: !isLost }, JSON.stringify(text));
  }
});

test('refused entries are left out, the rest can be checked', () => {
  const { root } = parseYaml('f', 'a: &x 1\n<<: {b: 2}\n__proto__: 3\na: 4\n007: 5\n');
  assert.deepEqual(root && toPlain(root), { a: 1, '007': 5 });
});

test('faults name the path of their key', () => {
  const { faults } = parseYaml('f', 'a: [{b: 1, b: 2}, {__proto__: 1}]\nc: .inf\n');
  assert.deepEqual(
    faults.map((fault) => fault.path),
    ['a.0.b', 'a.1', 'c'],
  );
});

test('property: what is written is read back', () => {
  const forbidden = new Set(['__proto__', 'constructor', 'prototype', '<<']);
  const word = fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .filter((one) => !/[\p{Cc}\uFFFD\uFEFF]/u.test(one));
  const key = word.filter((one) => !forbidden.has(one));
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.constantFrom(true, false, null, '00123', '1.10', 'no', '~', '', '<<', 'a: b', 'x\ny\n'),
      word,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(key, tie('node'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).node;
  fc.assert(fc.property(tree, (one) => assert.deepEqual(value(stringifyYaml(one)), one)));
});

test('text that could be read as something else is written in quotes', () => {
  const written = stringifyYaml({ id: '00123', flag: 'no', version: '1.10', list: [], map: {} });
  assert.equal(written, 'id: "00123"\nflag: "no"\nversion: "1.10"\nlist: []\nmap: {}\n');
  const shared = { a: 'x'.repeat(200) };
  assert.equal(stringifyYaml([shared, shared]), `- a: ${shared.a}\n- a: ${shared.a}\n`);
});
