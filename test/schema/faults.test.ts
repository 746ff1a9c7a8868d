// Owns the check that a document's faults against a schema are all found, in place and in words.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as v from 'valibot';

import { mergeNodes } from '../../src/lib/document.ts';
import { formatFault } from '../../src/lib/fault.ts';
import { validate } from '../../src/schema/faults.ts';
import { cpuTimeOf } from '../support/usage.ts';
import { faultsOf, read } from './faults_of.ts';

const schema = v.strictObject({
  variant: v.picklist(['grant', 'partner-login']),
  path: v.pipe(v.string(), v.regex(/^\/[a-z/]+$/, 'expected a path such as /api/grant')),
  redirect_uri: v.exactOptional(v.string()),
  lifetime: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 60),
  enabled: v.optional(v.boolean()),
  roles: v.optional(v.array(v.string())),
});

test('a sound document gives its output, defaults filled', () => {
  const { output, faults } = validate(schema, read('variant: grant\npath: /api\nroles: [a]\n'));
  assert.deepEqual(faults, []);
  assert.deepEqual(output, { variant: 'grant', path: '/api', lifetime: 60, roles: ['a'] });
});

test('a faulty document gives no output', () => {
  assert.equal('output' in validate(schema, read('{variant: grant, path: /a, x: 1}')), false);
});

test('every fault is found in one run, each at its place', () => {
  const text = `varient: grant
pth: /api
redirct_uri: 1
lifetime: 0.5
enabled: yes
roles: [a, 1, [b], {c: d}, ~]
something_else: 1
`;
  assert.deepEqual(faultsOf(schema, text), [
    '1:1: [varient]: unknown key "varient" (did you mean "variant"?)',
    '1:1: [variant]: "variant" is missing',
    '1:1: [path]: "path" is missing',
    '2:1: [pth]: unknown key "pth" (did you mean "path"?)',
    '3:1: [redirct_uri]: unknown key "redirct_uri" (did you mean "redirect_uri"?)',
    '4:11: [lifetime]: expected a whole number, found the number 0.5',
    '4:11: [lifetime]: expected 1 or more, found the number 0.5',
    '5:10: [enabled]: expected true or false, found the text "yes" (write true)',
    '6:12: [roles.1]: expected text, found the number 1 (1 is read as the number 1; put it in quotes: "1")',
    '6:15: [roles.2]: expected text, found a list',
    '6:20: [roles.3]: expected text, found a map',
    '6:28: [roles.4]: expected text, found nothing (~ is read as nothing; put it in quotes: "~")',
    '7:1: [something_else]: unknown key "something_else" (allowed: variant, path, redirect_uri, lifetime, enabled, roles)',
  ]);
});

test('a key that is there already is not suggested for an unknown one', () => {
  assert.deepEqual(faultsOf(v.strictObject({ path: v.string() }), '{path: a, pth: b}'), [
    '1:11: [pth]: unknown key "pth" (allowed: path)',
  ]);
});

test('identifiers that YAML takes for something else are to be quoted', () => {
  const ids = v.strictObject({
    a: v.string(),
    b: v.string(),
    c: v.string(),
    d: v.string(),
    e: v.picklist(['1.0', '2']),
    f: v.number(),
    g: v.number(),
    h: v.number(),
  });
  const text = 'a: 00123\nb: 1.10\nc: true\nd:\ne: 1.0\nf: "10"\ng: 10s\nh: {}\n';
  assert.deepEqual(faultsOf(ids, text), [
    '1:4: [a]: expected text, found the number 123 (00123 is read as the number 123; put it in quotes: "00123")',
    '2:4: [b]: expected text, found the number 1.1 (1.10 is read as the number 1.1; put it in quotes: "1.10")',
    '3:4: [c]: expected text, found true (true is read as true or false, not as text; put it in quotes: "true")',
    '4:3: [d]: expected text, found nothing',
    '5:4: [e]: expected one of 1.0, 2; found the number 1 (1.0 is read as the number 1; put it in quotes: "1.0")',
    '6:4: [f]: expected a number, found the text "10" (write it without quotes: 10)',
    '7:4: [g]: expected a number, found the text "10s"',
    '8:4: [h]: expected a number, found a map',
  ]);
});

test('choices are listed, the nearest is suggested', () => {
  const choices = v.strictObject({
    a: v.picklist(['grant', 'partner-login']),
    b: v.picklist(['grant', 'partner-login']),
    c: v.literal('only'),
    d: v.picklist(['', 'two words', 3]),
    e: v.picklist(Array.from({ length: 60 }, (_, index) => `choice_${index}`)),
    f: v.pipe(v.string(), v.toLowerCase(), v.picklist(['left', 'right'])),
  });
  const text = 'a: partner_login\nb: x\nc: other\nd: 4\ne: x\nf: Rihgt\n';
  const shown = Array.from({ length: 15 }, (_, index) => `choice_${index}`).join(', ');
  assert.deepEqual(faultsOf(choices, text), [
    '1:4: [a]: expected one of grant, partner-login; found "partner_login" (did you mean "partner-login"?)',
    '2:4: [b]: expected one of grant, partner-login; found "x"',
    '3:4: [c]: expected only; found "other"',
    '4:4: [d]: expected one of "", "two words", 3; found the number 4',
    `5:4: [e]: expected one of ${shown} and 45 more; found "x"`,
    '6:4: [f]: expected one of left, right; found "Rihgt" (did you mean "right"?)',
  ]);
});

test('a list is no map and a map no list, whatever valibot takes them for', () => {
  const both = v.strictObject({
    map: v.strictObject({ a: v.string() }),
    record: v.record(v.string(), v.string()),
    variant: v.variant('kind', [v.strictObject({ kind: v.literal('a') })]),
    list: v.array(v.string()),
  });
  const text = 'map: [a]\nrecord: [a]\nvariant: [a]\nlist: {a: b}\n';
  assert.deepEqual(faultsOf(both, text), [
    '1:6: [map]: expected a map, found a list',
    '2:9: [record]: expected a map, found a list',
    '3:10: [variant]: expected a map, found a list',
    '4:7: [list]: expected a list, found a map',
  ]);
  assert.deepEqual(faultsOf(both, '[]'), ['1:1: error: expected a map, found a list']);
  assert.deepEqual(faultsOf(both, 'text'), ['1:1: error: expected a map, found the text "text"']);
});

test("messages of the schema's author are used as they are, at key or value", () => {
  const authored = v.pipe(
    v.strictObject({
      a: v.pipe(
        v.string(),
        v.check((text) => text !== 'bad', 'a must not be bad'),
      ),
      b: v.record(v.pipe(v.string(), v.regex(/^x/, 'names start with x')), v.number('a count')),
      c: v.union([v.string(), v.number()], 'c is text or a number'),
      min: v.number(),
      max: v.number(),
    }),
    v.forward(
      v.check(({ min, max }) => min <= max, 'min is over max'),
      ['min'],
    ),
    v.check(
      ({ max }) => max < 10,
      (issue) => `${issue.kind} of the whole`,
    ),
  );
  const text = 'a: good\nb: {x: 1}\nc: 1\nmin: 20\nmax: 11\n';
  assert.deepEqual(faultsOf(authored, text), [
    '1:1: error: validation of the whole',
    '4:6: [min]: min is over max',
  ]);
  assert.deepEqual(faultsOf(authored, 'a: bad\nb: {y: z}\nc: []\nmin: 1\nmax: 2\n'), [
    '1:4: [a]: a must not be bad',
    '2:5: [b.y]: names start with x',
    '2:8: [b.y]: a count',
    '3:4: [c]: c is text or a number',
  ]);
});

test('an unknown key does not keep checks across keys from running', () => {
  const across = v.pipe(
    v.strictObject({ min: v.number(), max: v.number() }),
    v.check(({ min, max }) => min <= max, 'min is over max'),
  );
  assert.deepEqual(faultsOf(across, '{min: 2, max: 1, mux: 3}'), [
    '1:1: error: min is over max',
    '1:18: [mux]: unknown key "mux" (allowed: min, max)',
  ]);
});

test('validations of a number have words without a message', () => {
  const rules = v.strictObject({
    a: v.pipe(v.number(), v.minValue(2)),
    b: v.pipe(v.number(), v.maxValue(5)),
    c: v.pipe(
      v.string(),
      v.check((text) => text === ''),
    ),
  });
  assert.deepEqual(faultsOf(rules, 'a: 1\nb: 6\nc: a\n'), [
    '1:4: [a]: expected 2 or more, found the number 1',
    '2:4: [b]: expected 5 or less, found the number 6',
    '3:4: [c]: this is not valid (check)',
  ]);
});

test('the keys of a record are suggested from its list of names', () => {
  const record = v.record(v.picklist(['invalid_request', 'server_error']), v.number());
  assert.deepEqual(faultsOf(record, '{invalid_requst: 1, other: 2, server_error: x}'), [
    '1:2: [invalid_requst]: unknown key "invalid_requst" (did you mean "invalid_request"?)',
    '1:21: [other]: unknown key "other" (allowed: invalid_request, server_error)',
    '1:45: [server_error]: expected a number, found the text "x"',
  ]);
});

test('faults of a merged document lie in the file that said so', () => {
  const base = read('variant: grant\npath: /api\nlifetime: 1\n', 'base.yaml');
  const over = read('lifetime: x\nvariant: ~\npth: /b\n', 'over.yaml');
  const merged = validate(schema, mergeNodes(base, over));
  assert.deepEqual(merged.faults.map(formatFault), [
    'over.yaml:1:1: error: "variant" is missing',
    'over.yaml:1:11: error: expected a number, found the text "x"',
    'over.yaml:3:1: error: unknown key "pth" (did you mean "path"?)',
  ]);
});

test('thousands of unknown keys are told in one quick run', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `k${index}: 1`).join('\n');
  const took = cpuTimeOf(() => {
    assert.equal(faultsOf(schema, `variant: grant\npath: /a\n${text}`).length, 5000);
  });
  assert.ok(took < 10_000);
});
