// Owns the bond between the schema's keys and what is said of them: each key has a text, and each
// text a key.

import { errorDocs } from './docs_errors.ts';
import { failureDocs, loginFailureDocs } from './docs_failures.ts';
import { loginDocs } from './docs_login.ts';
import { pageDocs } from './docs_pages.ts';
import { programmeDocs } from './docs_programme.ts';
import { tokenDocs } from './docs_tokens.ts';
import { kindDocs, typeDocs } from './docs_types.ts';
import { parseExample } from './example.ts';
import type { JsonSchema, Translation } from './json_schema.ts';
import type { KeyDoc, KeyDocs } from './key_doc.ts';
import { isMapType, type Key, keysOf } from './keys.ts';

/** What is said of the keys, by path. */
export const keyDocs: KeyDocs = {
  ...programmeDocs,
  ...loginDocs,
  ...pageDocs,
  ...tokenDocs,
  ...errorDocs,
  ...typeDocs,
};

/** Keys that a closed list of reasons stands for; the list says what each is. */
const lists: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'errors.reasons.': failureDocs,
  'authorize.failures.': loginFailureDocs,
  'language.failures.': loginFailureDocs,
};

/** Types that differ in nothing but the values they name are told of once. */
const sameTypes = /^(?:token|error|redirect)_field\./;

/** The path under which a key is told of. */
function documentedPath(path: string): string {
  return path.replace(sameTypes, 'field.');
}

/** Whether a key is one of a closed list, which has a table of its own. */
export function isListed(path: string): boolean {
  return Object.keys(lists).some((prefix) => path.startsWith(prefix));
}

/** What is said of a key; undefined where nothing is. */
export function docOf(path: string): KeyDoc | undefined {
  return keyDocs[documentedPath(path)];
}

function textOf(path: string): string | undefined {
  for (const [prefix, texts] of Object.entries(lists)) {
    if (path.startsWith(prefix)) return texts[path.slice(prefix.length)];
  }
  return docOf(path)?.text;
}

/** What is wrong between the schema and the texts, a sentence each; empty when nothing is. */
export function complaints(translation: Translation, docs: KeyDocs = keyDocs): readonly string[] {
  const keys = keysOf(translation).filter(({ path }) => !isListed(path));
  const paths = new Set(keys.map(({ path }) => documentedPath(path)));
  const kinds = Object.entries(translation.definitions).flatMap(([name, schema]) =>
    isMapType(schema) ? [] : [name],
  );
  return [
    ...keys.flatMap((key) => keyComplaints(key, docs[documentedPath(key.path)])),
    ...surplus(Object.keys(docs), paths).map((path) => `"${path}" is told of, but is no key`),
    ...surplus(kinds, kindDocs).map((name) => `the kind of value "${name}" is not told of`),
    ...surplus(Object.keys(kindDocs), kinds).map((name) => `"${name}" is no kind of value`),
  ];
}

function keyComplaints(key: Key, doc: KeyDoc | undefined): readonly string[] {
  const { path, schema, required } = key;
  if (doc === undefined) return [`"${path}" is not told of: add it to scripts/reference/docs_*.ts`];
  const hasDefault = schema.default !== undefined;
  if (hasDefault && doc.otherwise !== undefined) {
    return [`"${path}" has a default in the schema: remove its "otherwise"`];
  }
  if (!required && !hasDefault && doc.otherwise === undefined) {
    return [`"${path}" can be left out: say in "otherwise" what holds then`];
  }
  return [];
}

function surplus(names: readonly string[], known: Iterable<string> | object): readonly string[] {
  const present = new Set(Symbol.iterator in known ? known : Object.keys(known));
  return names.filter((name) => !present.has(name));
}

/** The translation with the texts as descriptions, and the examples as values. */
export function describe({ root, definitions }: Translation): Translation {
  return {
    root: describeMembers(root, ''),
    definitions: Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [
        name,
        describeMembers(isMapType(schema) ? schema : untitled(schema), `${name}.`),
      ]),
    ),
  };
}

/** Editors show what stands nearest to a value: a kind's title would hide the key's text. */
function untitled(schema: JsonSchema): JsonSchema {
  const { title: _, ...rest } = schema;
  return rest;
}

function describeMembers(schema: JsonSchema, prefix: string): JsonSchema {
  const { properties, anyOf } = schema;
  return {
    ...schema,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => describeMembers(one, prefix)) }),
    ...(properties === undefined ? {} : { properties: describeEach(properties, prefix) }),
  };
}

function describeEach(
  properties: Readonly<Record<string, JsonSchema>>,
  prefix: string,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const path = prefix + name;
      const description = textOf(path);
      const example = docOf(path)?.example;
      const notes = {
        ...(description === undefined ? {} : { description: withoutLinks(description) }),
        ...(example === undefined ? {} : { examples: [parseExample(example)] }),
      };
      return [name, { ...describeMembers(schema, `${path}.`), ...notes }];
    }),
  );
}

/** Links lead to other parts of the page, which an editor does not show. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1');
}
