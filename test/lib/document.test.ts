// Owns the check of merging documents and of finding places in them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as v from 'valibot';

import { keyPositionAt, mergeNodes, nodeAt, positionAt, toPlain } from '../../src/lib/document.ts';
import type { Position } from '../../src/lib/fault.ts';
import { parseYaml, stringifyYaml, type YamlNode } from '../../src/lib/yaml/yaml.ts';
import { fc } from '../support/property.ts';

function read(file: string, text: string): YamlNode {
  const { root, faults } = parseYaml(file, text);
  assert.deepEqual(faults, []);
  assert.ok(root);
  return root;
}

const base = read('base.yaml', 'a: 1\nb:\n  c: 2\n  d: 3\nlist: [1, 2]\n');

function at({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

test('maps merge key by key, scalars and lists replace, new keys follow', () => {
  const over = read('over.yaml', 'z: 9\nlist: [3]\nb:\n  d: 4\n  e: 5\n');
  const merged = mergeNodes(base, over);
  const plain = { a: 1, b: { c: 2, d: 4, e: 5 }, list: [3], z: 9 };
  assert.deepEqual(toPlain(merged), plain);
  assert.equal(JSON.stringify(toPlain(merged)), JSON.stringify(plain));
});

test('a null removes the key, also where the base has none (RFC 7396)', () => {
  const over = read(
    'over.yaml',
    'a:\nb: {c: ~}\nmissing: null\nnew: {x: 1, y: null}\nlist: [null]\n',
  );
  const plain = { b: { d: 3 }, list: [null], new: { x: 1 } };
  assert.deepEqual(toPlain(mergeNodes(base, over)), plain);
});

test('nulls that remove nothing are told with the places of their keys', () => {
  const over = read('over.yaml', 'a:\nmissing: null\nnew: {x: 1, y: null}\nlist: [{z: null}]\n');
  const idle: string[] = [];
  mergeNodes(base, over, {
    onIdleNull: (path, keyAt) => idle.push(`${path.join('.')} ${at(keyAt)}`),
  });
  assert.deepEqual(idle, ['missing over.yaml:2:1', 'new.y over.yaml:3:13']);
});

test('a map replaces a scalar and a scalar a map', () => {
  const over = read('over.yaml', 'a: {x: 1, y: null}\nb: none\n');
  assert.deepEqual(toPlain(mergeNodes(base, over)), { a: { x: 1 }, b: 'none', list: [1, 2] });
});

test('each node keeps its place, a map of both has that of the upper file', () => {
  const merged = mergeNodes(base, read('over.yaml', 'b:\n  d: 4\n'));
  assert.equal(at(positionAt(merged, [])), 'over.yaml:1:1');
  assert.equal(at(positionAt(merged, ['a'])), 'base.yaml:1:4');
  assert.equal(at(positionAt(merged, ['b'])), 'over.yaml:2:3');
  assert.equal(at(positionAt(merged, ['b', 'c'])), 'base.yaml:3:6');
  assert.equal(at(positionAt(merged, ['b', 'd'])), 'over.yaml:2:6');
  assert.equal(at(keyPositionAt(merged, ['b'])), 'over.yaml:1:1');
  assert.equal(at(keyPositionAt(merged, ['b', 'c'])), 'base.yaml:3:3');
});

test('a path that leads nowhere gives the nearest node around it', () => {
  assert.equal(at(positionAt(base, ['b', 'x', 'y'])), 'base.yaml:3:3');
  assert.equal(at(positionAt(base, ['list', 7])), 'base.yaml:5:7');
  assert.equal(at(positionAt(base, ['a', 'x'])), 'base.yaml:1:4');
  assert.equal(at(keyPositionAt(base, ['b', 'x'])), 'base.yaml:3:3');
  assert.equal(at(keyPositionAt(base, ['list', 1])), 'base.yaml:5:11');
  assert.equal(at(keyPositionAt(base, [])), 'base.yaml:1:1');
  assert.equal(nodeAt(base, ['b', 'x', 'y']), undefined);
  assert.equal(nodeAt(base, ['a', 'x']), undefined);
  assert.deepEqual(nodeAt(base, ['list', 1]), {
    kind: 'scalar',
    at: { file: 'base.yaml', line: 5, column: 11 },
    value: 2,
    source: '2',
  });
});

test('HOSTILE 46: plain values are plain objects whose keys are all their own', () => {
  const scalar = { kind: 'scalar', at: base.at, value: 1 } as const;
  const entries = new Map([['__proto__', { keyAt: base.at, node: scalar }]]);
  const plain = toPlain({ kind: 'map', at: base.at, entries }) as object;
  assert.deepEqual(Object.getOwnPropertyNames(plain), ['__proto__']);
  assert.equal(Object.getPrototypeOf(plain), Object.prototype);
  assert.deepEqual(v.parse(v.strictObject({ a: v.number() }), toPlain(read('f', 'a: 1'))), {
    a: 1,
  });
});

const key = fc.stringMatching(/^[a-z]{1,3}$/);
const values = fc.letrec<{ node: unknown; map: Record<string, unknown> }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.stringMatching(/^[ -~]{0,8}$/),
    fc.array(tie('node'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(key, tie('node'), { maxKeys: 4, noNullPrototype: true }),
}));
const documents = values.map.map((value) => read('random.yaml', stringifyYaml(value)));

test('property: merging nothing changes nothing', () => {
  const nothing = read('nothing.yaml', '{}');
  fc.assert(fc.property(documents, (one) => assert.equal(mergeNodes(one, nothing), one)));
});

test('property: merging says what JSON Merge Patch says (RFC 7396)', () => {
  fc.assert(
    fc.property(values.map, values.map, (one, other) => {
      const merged = mergeNodes(read('a', stringifyYaml(one)), read('b', stringifyYaml(other)));
      assert.deepEqual(toPlain(merged), mergePatch(one, other));
    }),
  );
});

test('property: merging twice the same is merging once', () => {
  fc.assert(
    fc.property(documents, documents, (one, other) => {
      const once = mergeNodes(one, other);
      assert.deepEqual(toPlain(mergeNodes(once, other)), toPlain(once));
    }),
  );
});

/** The algorithm of RFC 7396 section 2, word for word. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
