// Owns the check that the reference tells of every key, and of nothing else, and is up to date.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import * as v from 'valibot';

import { makeReference, referencePaths } from '../../scripts/reference.ts';
import {
  errorValueDocs,
  formatDocs,
  inputDocs,
  tokenValueDocs,
} from '../../scripts/reference/docs_values.ts';
import { complaints, keyDocs } from '../../scripts/reference/documentation.ts';
import { type JsonSchema, translate } from '../../scripts/reference/json_schema.ts';
import { loginInputs, tokenInputs } from '../../src/programme/checks/inputs.ts';
import { definitionSchema } from '../../src/programme/language/definition.ts';
import type { Schema, Shape } from '../../src/schema/walk.ts';

const root = join(import.meta.dirname, '../..');
const { entries = {} } = definitionSchema as Shape;

/** The schema of programmes with some of its keys changed. */
function planted(changes: Readonly<Record<string, Schema>>): Schema {
  return v.strictObject({ ...entries, ...changes });
}

for (const [part, path] of Object.entries(referencePaths)) {
  test(`${path} is what npm run reference writes`, () => {
    const made = makeReference()[part as keyof typeof referencePaths];
    const written = readFileSync(join(root, path), 'utf8');
    assert.ok(made === written, `${path} is out of date: run npm run reference`);
  });
}

test('every key of the schema is told of, and every text belongs to a key', () => {
  assert.deepEqual(complaints(translate(definitionSchema)), []);
});

test('a key that nobody tells of is named, wherever it is', () => {
  const tokens = entries['tokens'] as Shape;
  const deep = v.strictObject({ ...tokens.entries, planted: v.string() });
  assert.deepEqual(
    complaints(translate(planted({ planted: v.string(), tokens: deep }))),
    ['tokens.planted', 'planted'].map(
      (path) => `"${path}" is not told of: add it to scripts/reference/docs_*.ts`,
    ),
  );
  assert.throws(() => makeReference(planted({ planted: v.string() })), /"planted" is not told of/);
});

test('a key of a type, and a kind of value, that nobody tells of are named', () => {
  const type = v.pipe(v.strictObject({ inner: v.string() }), v.title('planted type'));
  const kind = v.pipe(v.string(), v.title('planted kind'));
  assert.deepEqual(complaints(translate(planted({ name: type, base_path: kind }))), [
    '"planted_type.inner" is not told of: add it to scripts/reference/docs_*.ts',
    'the kind of value "planted_kind" is not told of',
  ]);
});

test('a text without a key is named', () => {
  const { name, ...rest } = entries;
  assert.ok(name);
  assert.deepEqual(complaints(translate(v.strictObject(rest))), [
    '"name" is told of, but is no key',
  ]);
});

test('what holds when a key is left out is told once', () => {
  const translation = translate(definitionSchema);
  const { otherwise, ...audience } = keyDocs['audience']!;
  assert.ok(otherwise);
  assert.deepEqual(complaints(translation, { ...keyDocs, audience }), [
    '"audience" can be left out: say in "otherwise" what holds then',
  ]);
  const twice = { ...keyDocs['interface_version']!, otherwise: '`v1`' };
  assert.deepEqual(complaints(translation, { ...keyDocs, interface_version: twice }), [
    '"interface_version" has a default in the schema: remove its "otherwise"',
  ]);
});

test('the lists of named values and formats are those of the schema', () => {
  const { definitions } = translate(definitionSchema);
  const namesIn = (schema: JsonSchema | undefined): readonly unknown[] =>
    schema?.enum ?? schema?.anyOf?.flatMap((option) => option.enum ?? []) ?? [];
  const named = definitions['token_field']?.anyOf?.find(({ properties }) => properties?.['as']);
  assert.deepEqual(namesIn(definitions['token_value']), Object.keys(tokenValueDocs));
  assert.deepEqual(namesIn(definitions['error_value']), Object.keys(errorValueDocs));
  assert.deepEqual(namesIn(named?.properties?.['as']), Object.keys(formatDocs));
});

test('the list of inputs that Jetway knows is that of the code', () => {
  const uses = /(?:inputs\.get\(|inputs\[|repeated\.has\(|role === )'([a-z_]+)'/g;
  const texts = globSync('src/{engine,programme}/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const used = texts.flatMap((text) => [...text.matchAll(uses)].map(([, name]) => name ?? ''));
  assert.deepEqual(new Set(Object.keys(inputDocs)), new Set(used));
  for (const [where, known] of [
    ['login', loginInputs],
    ['token', tokenInputs],
  ] as const) {
    const told = Object.entries(inputDocs).filter(([, [places]]) => places.includes(where));
    assert.deepEqual(new Set(told.map(([name]) => name)), known, where);
  }
});

test('what a schema says and JSON Schema cannot is never dropped unseen', () => {
  assert.throws(() => translate(v.date()), /no JSON Schema is known for date/);
  assert.throws(() => translate(v.pipe(v.string(), v.email())), /known for email/);
  assert.throws(() => translate(v.pipe(v.string(), v.regex(/a/i))), /flags that are lost/);
  const one = v.pipe(v.string(), v.title('twin'));
  const other = v.pipe(v.number(), v.title('twin'));
  assert.throws(() => translate(v.strictObject({ one, other })), /have the title "twin"/);
});
