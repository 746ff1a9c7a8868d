// Owns the check of faults where a schema offers several options: variants and unions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as v from 'valibot';

import type { Fault } from '../../src/lib/fault.ts';
import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { validate } from '../../src/schema/faults.ts';
import { fc } from '../support/property.ts';
import { cpuTimeOf } from '../support/usage.ts';
import { faultsOf, read } from './faults_of.ts';

const auth = v.variant('kind', [
  v.strictObject({ kind: v.literal('basic'), form: v.optional(v.boolean()) }),
  v.strictObject({ kind: v.literal('parameters'), id: v.string(), secret: v.string() }),
]);

test('a variant is told by its discriminator', () => {
  const list = v.array(auth);
  const text = `- {kind: basi, form: 1}
- {form: true}
- {kind: parameters, id: 1, secrt: x}
- {kind: basic, form: 1, id: x}
- text
- {kind: [basic]}
`;
  assert.deepEqual(faultsOf(list, text), [
    '1:10: [0.kind]: expected one of basic, parameters; found "basi" (did you mean "basic"?)',
    '2:3: [1.kind]: "kind" is missing (expected one of basic, parameters)',
    '3:3: [2.secret]: "secret" is missing',
    '3:26: [2.id]: expected text, found the number 1 (1 is read as the number 1; put it in quotes: "1")',
    '3:29: [2.secrt]: unknown key "secrt" (did you mean "secret"?)',
    '4:23: [3.form]: expected true or false, found the number 1',
    '4:26: [3.id]: unknown key "id" (allowed: kind, form)',
    '5:3: [4]: expected a map, found the text "text"',
    '6:10: [5.kind]: expected one of basic, parameters; found a list',
  ]);
});

const named = v.strictObject({
  value: v.picklist(['access_token', 'expires_in']),
  as: v.exactOptional(v.picklist(['seconds', 'date'])),
});
const field: v.GenericSchema = v.lazy(() =>
  v.union([
    v.picklist(['access_token', 'expires_in']),
    named,
    v.strictObject({ object: v.record(v.string(), field) }),
    v.strictObject({ constant: v.union([v.string(), v.number()]) }),
  ]),
);

test('of a union the option that was most likely meant speaks', () => {
  const text = `a: acces_token
b: {value: acces_token, as: second, x: 1}
c: {object: {d: {valu: access_token}, e: {object: {f: 5, g: {value: expires_in, as: seconds}}}}}
h: {objct: {i: access_token}}
j: {constant: [1]}
k: [access_token]
l: {}
`;
  assert.deepEqual(faultsOf(v.record(v.string(), field), text), [
    '1:4: [a]: expected access_token, expires_in or a map, found the text "acces_token" (did you mean "access_token"?)',
    '2:12: [b.value]: expected one of access_token, expires_in; found "acces_token" (did you mean "access_token"?)',
    '2:29: [b.as]: expected one of seconds, date; found "second" (did you mean "seconds"?)',
    '2:37: [b.x]: unknown key "x" (allowed: value, as)',
    '3:17: [c.object.d.value]: "value" is missing',
    '3:18: [c.object.d.valu]: unknown key "valu" (did you mean "value"?)',
    '3:55: [c.object.e.object.f]: expected access_token, expires_in or a map, found the number 5',
    '4:4: [h.object]: "object" is missing',
    '4:5: [h.objct]: unknown key "objct" (did you mean "object"?)',
    '5:15: [j.constant]: expected text or a number, found a list',
    '6:4: [k]: expected access_token, expires_in or a map, found a list',
    '7:4: [l.value]: "value" is missing',
  ]);
});

test('a union of a short and a long form checks the form that is there', () => {
  const short = v.union([
    v.literal('none'),
    v.number(),
    v.array(v.string()),
    v.strictObject({ limit: v.number(), window: v.string() }),
  ]);
  const text = 'a: non\nb: [1, 2]\nc: {limit: x, windw: y, z: 1}\nd: true\n';
  assert.deepEqual(faultsOf(v.record(v.string(), short), text), [
    '1:4: [a]: expected none, a number, a list or a map, found the text "non" (did you mean "none"?)',
    '2:5: [b.0]: expected text, found the number 1 (1 is read as the number 1; put it in quotes: "1")',
    '2:8: [b.1]: expected text, found the number 2 (2 is read as the number 2; put it in quotes: "2")',
    '3:4: [c.window]: "window" is missing',
    '3:12: [c.limit]: expected a number, found the text "x"',
    '3:15: [c.windw]: unknown key "windw" (did you mean "window"?)',
    '3:25: [c.z]: unknown key "z" (allowed: limit, window)',
    '4:4: [d]: expected none, a number, a list or a map, found true',
  ]);
});

test("an author's message on one option does not speak for the others", () => {
  const union = v.union([v.string('a name, please'), v.strictObject({ id: v.string() })]);
  assert.deepEqual(faultsOf(union, '{id: 1, x: 2}'), [
    '1:6: [id]: expected text, found the number 1 (1 is read as the number 1; put it in quotes: "1")',
    '1:9: [x]: unknown key "x" (allowed: id)',
  ]);
  assert.deepEqual(faultsOf(union, '[]'), ['1:1: error: expected text or a map, found a list']);
  assert.deepEqual(faultsOf(v.string('a name, please'), '[]'), ['1:1: error: a name, please']);
});

test('what a union within a union expected is told even if the outer one is ambiguous', () => {
  const never = v.check<string>(() => false);
  const inner = v.union([v.pipe(v.string(), never), v.pipe(v.string(), never)]);
  const union = v.union([v.strictObject({ a: inner }), v.strictObject({ b: v.string() })]);
  assert.deepEqual(faultsOf(union, '{a: x}'), [
    '1:5: [a]: expected another value, found the text "x"',
  ]);
});

test('objects in a union are told apart by their certain words', () => {
  const union = v.union([
    v.strictObject({ kind: v.literal('a'), x: v.string() }),
    v.strictObject({ kind: v.literal('b'), y: v.number(), z: v.number() }),
  ]);
  assert.deepEqual(faultsOf(union, '{kind: b, y: q, z: r}'), [
    '1:14: [y]: expected a number, found the text "q"',
    '1:20: [z]: expected a number, found the text "r"',
  ]);
  assert.deepEqual(faultsOf(union, '{kind: b, y: 1, z: 2, q: 3}'), [
    '1:23: [q]: unknown key "q" (allowed: kind, y, z)',
  ]);
});

test('property: whatever the document, faults have places in it and words of ours', () => {
  const all = v.strictObject({
    variant: v.picklist(['grant', 'partner-login']),
    path: v.pipe(v.string(), v.regex(/^\/[a-z/]+$/, 'expected a path such as /api/grant')),
    lifetime: v.optional(v.pipe(v.number(), v.integer()), 60),
    roles: v.optional(v.array(v.string())),
    auth: v.optional(auth),
    layout: v.optional(v.record(v.string(), field)),
  });
  const names = ['variant', 'path', 'lifetime', 'enabled', 'roles', 'auth', 'layout', 'kind'];
  const key = fc.constantFrom(...names, 'value', 'object', 'constant', 'type', 'x');
  const document = fc.letrec<{ node: unknown; map: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom('grant', 'basic', 'other', 'access_token', '/a', 'b', 1, 0.5, true, null),
      fc.array(tie('node'), { maxLength: 3 }),
      tie('map'),
    ),
    map: fc.dictionary(key, tie('node'), { maxKeys: 5, noNullPrototype: true }),
  })).map;
  fc.assert(
    fc.property(document, (value) => {
      const text = stringifyYaml(value);
      const { output, faults } = validate(all, read(text));
      assert.equal(output === undefined, !v.is(all, value) || hasListForMap(faults));
      assert.equal(output === undefined, faults.length > 0);
      const lines = text.split('\n');
      for (const { at, message } of faults) {
        assert.ok((lines[at.line - 1]?.length ?? -1) + 1 >= at.column, text);
        assert.doesNotMatch(message, /Invalid|undefined|unworded|another kind|object Object/);
      }
    }),
    { numRuns: 1000 },
  );
});

/** Valibot takes a list for a map where every key may be left out; this house does not. */
function hasListForMap(faults: readonly Fault[]): boolean {
  return faults.some(({ message }) => message === 'expected a map, found a list');
}

test('thousands of faults deep in a recursive schema are told quickly', () => {
  const fields = Array.from({ length: 4000 }, (_, index) => `k${index}: x`).join(', ');
  const text = `{a: {object: {b: {object: {${fields}}}}}}`;
  const took = cpuTimeOf(() => {
    assert.equal(faultsOf(v.record(v.string(), field), text).length, 4000);
  });
  assert.ok(took < 15_000);
});
