// Owns the check that the reference tells of every key, and of nothing else, and is up to date.

import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import * as v from 'valibot';

import { complaints, makeReference, referencePaths } from '../../scripts/reference.ts';
import { type JsonSchema, translate } from '../../scripts/reference/json_schema.ts';
import { keyHelp } from '../../src/cli/key_help.ts';
import { configSchema, readConfig } from '../../src/config/config.ts';
import { logEvents } from '../../src/engine/log_events.ts';
import { definitionSchema } from '../../src/language/definition.ts';
import { inputRows } from '../../src/language/known_inputs.ts';
import { nodeAt } from '../../src/lib/document.ts';
import { keysOf } from '../../src/schema/keys.ts';
import { key, named } from '../../src/schema/notes.ts';
import { lifetimeSchema } from '../../src/schema/scalars.ts';
import type { Schema, Shape } from '../../src/schema/walk.ts';
import { scratchFolder } from '../support/scratch.ts';

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

test('every key of the configuration is told of, and the example with all of them set is one', (t) => {
  assert.deepEqual(complaints(configSchema), []);
  const everything = makeReference()
    .config.replaceAll(/^#(?=[a-z]|  )/gm, '')
    .replace(/^store: .*$/m, 'store: postgres://jetway@db1.example/jetway')
    .replace(/^public_url: .*$/m, 'public_url: https://tokens.example');
  const path = join(scratchFolder(t, 'example'), 'config.yaml');
  writeFileSync(path, everything);
  const { document } = readConfig(path);
  const lacking = keysOf(configSchema)
    .map((one) => one.path.split('.'))
    // `requests` and `verify` of `log` are shown with a value that is no map.
    .filter((steps) => steps.length < 3 && nodeAt(document, steps) === undefined);
  assert.deepEqual(lacking, []);
});

test('each event of the log is written somewhere', () => {
  const text = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => path !== 'src/engine/log_events.ts')
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const unused = Object.keys(logEvents).filter((name) => !text.includes(`'${name}'`));
  // Written as `setting_${outcome}` and `programme_${outcome}`.
  assert.deepEqual(
    unused.filter((name) => !/^(?:setting|programme)_/.test(name)),
    [],
  );
});

test('the page begins with the keys of the shipped programmes, and tells of each key of a file once', () => {
  const { page } = makeReference();
  const told = (text: string) =>
    [...text.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, path]) => path);
  const [opening = ''] = /## Keys to begin with\n[^]*?(?=\n## )/.exec(page) ?? [];
  const used = globSync('programmes/*.yaml', { cwd: root }).flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').match(/^ *[a-z_]+(?=:)/gm) ?? [];
    return lines.map((line) => line.trim());
  });
  const ends = told(opening).map((path = '') => path.split('.').at(-1));
  assert.deepEqual(new Set([...ends, 'accent']), new Set([...used, 'limit', 'window', 'accent']));
  assert.equal(page.indexOf('\n## '), page.indexOf('\n## Keys to begin with'));
  const all = told(page).filter((path) =>
    /^(tokens|login|throttle|token_response)\./.test(path ?? ''),
  );
  assert.ok(all.length > 40);
  assert.equal(new Set(all).size, all.length);
});

const leaf = { text: 'What it does.', example: 'a' };

test('every key of the schema has a text and an example, those of closed lists a text', () => {
  assert.deepEqual(complaints(definitionSchema), []);
  const lists = /^(errors\.reasons|authorize\.failures|language\.failures)\./;
  for (const { path, entry } of keysOf(definitionSchema)) {
    assert.match(entry.docs?.text ?? '', /^.*\S\.$/, path);
    assert.equal(entry.docs?.example === undefined, lists.test(path), path);
  }
});

test('a key that the schema gains stands in the page, in the editor schema and in help', () => {
  const told = { text: 'How much of it.', example: '5m', otherwise: 'all of it' };
  const { tokens } = entries;
  const share = key(v.exactOptional(lifetimeSchema), told);
  const grown = planted({
    share,
    tokens: { ...tokens, entries: { ...(tokens as Shape).entries, share } } as Schema,
  });
  const { page, schema } = makeReference(grown);
  const { properties } = JSON.parse(schema) as JsonSchema;
  const definition = {
    description: told.text,
    examples: ['5m'],
    anyOf: [{ $ref: '#/$defs/lifetime' }, { type: 'null' }],
  };
  assert.deepEqual(properties?.['share'], definition);
  assert.deepEqual(properties?.['tokens']?.properties?.['share'], definition);
  for (const path of ['share', 'tokens.share']) {
    const cells = `[lifetime](#kinds-of-values) | all of it | How much of it. | \`5m\``;
    assert.ok(page.includes(`\n| \`${path}\` | ${cells} |\n`), path);
    assert.equal(
      keyHelp(path, [], [grown]),
      `${path}\n\nHow much of it.\n\nType     lifetime\n         A duration of at least \`1s\` and at most \`3650d\`.\nDefault  all of it\nExample  share: 5m`,
    );
  }
});

test('a key and a type that nobody tells of are named, wherever they are', () => {
  const tokens = entries['tokens'] as Shape;
  const deep = v.strictObject({ ...tokens.entries, planted: v.string() });
  const kind = key(v.pipe(v.string(), named('planted kind')), leaf);
  const type = key(v.pipe(v.strictObject({ inner: v.string() }), named('planted type')), leaf);
  const schema = planted({ planted: v.string(), tokens: key(deep, leaf), kind, type });
  const untold = [
    ...['tokens.planted', 'planted', 'planted_type.inner'].map(
      (path) => `"${path}" has no text: wrap its schema in key(…)`,
    ),
    'the type "planted_kind" has neither keys nor a text: give it one in named(…)',
  ];
  assert.deepEqual(complaints(schema), untold);
  assert.throws(() => makeReference(schema), { message: untold.join('\n') });
});

test('what holds when a key is left out is told once', () => {
  const silent = key(v.exactOptional(v.string()), leaf);
  const twice = key(v.optional(v.string(), 'v1'), { ...leaf, otherwise: '`v1`' });
  assert.deepEqual(complaints(planted({ audience: silent, interface_version: twice })), [
    '"interface_version" has a default in the schema: remove its "otherwise"',
    '"audience" can be left out: say in "otherwise" what holds then',
  ]);
});

test('the list of inputs that Jetway knows is that of the code', () => {
  const uses = /(?:inputs\.get\(|inputs\[|repeated\.has\(|role === )'([a-z_]+)'/g;
  const texts = globSync('src/{engine,language,programme,rules}/**/*.ts', { cwd: root }).map(
    (path) => readFileSync(join(root, path), 'utf8'),
  );
  const used = texts.flatMap((text) => [...text.matchAll(uses)].map(([, name]) => name ?? ''));
  const listed = Object.entries(inputRows).filter(([, { at }]) => !at.includes('management'));
  assert.deepEqual(new Set(listed.map(([name]) => name)), new Set(used));
});

test('what a schema says and JSON Schema cannot is never dropped unseen', () => {
  assert.throws(() => translate(v.date()), /no JSON Schema is known for date/);
  assert.throws(() => translate(v.pipe(v.string(), v.email())), /known for email/);
  assert.throws(() => translate(v.pipe(v.string(), v.regex(/a/i))), /flags that are lost/);
  const one = v.pipe(v.string(), named('twin'));
  const other = v.pipe(v.number(), named('twin'));
  assert.throws(() => translate(v.strictObject({ one, other })), /have the title "twin"/);
});
