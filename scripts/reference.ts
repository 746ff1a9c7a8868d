// Owns `npm run reference`: the reference page and the JSON Schema of programme files, both made of
// the schema that loads them and its texts, the pages of metrics and of the log's events, the dashboard,
// the example of a configuration, and the pages for partners.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { definitionSchema } from '../src/language/definition.ts';
import { readVariant, variantNames } from '../src/language/variants.ts';
import { toPlain } from '../src/lib/document.ts';
import { parseYaml } from '../src/lib/yaml/yaml.ts';
import { hasKeys, type Key, keysOf, notesOf, typesOf } from '../src/schema/keys.ts';
import type { Schema } from '../src/schema/walk.ts';
import { configExample } from './reference/config_example.ts';
import { dashboard } from './reference/dashboard.ts';
import { fileSchema } from './reference/file_schema.ts';
import { kindsTable, listTables } from './reference/lists.ts';
import { keyTables, type Variants } from './reference/markdown.ts';
import { eventsPage, metricsPage } from './reference/metrics.ts';
import { makePartnerPages } from './reference/partner_pages.ts';

const root = join(import.meta.dirname, '..');

/** Where the reference is written, from the checkout's root. */
export const referencePaths = {
  page: 'docs/programme-reference.md',
  schema: 'docs/programme.schema.json',
  metrics: 'docs/monitoring/metrics.md',
  events: 'docs/monitoring/events.md',
  dashboard: 'docs/monitoring/jetway-dashboard.json',
  config: 'config.example.yaml',
} as const;

/** The texts of the files. */
export type Reference = Readonly<Record<keyof typeof referencePaths, string>>;

/**
 * Makes the reference.
 *
 * @throws an error that lists every key and type without a text
 */
export function makeReference(schema: Schema = definitionSchema): Reference {
  const faults = complaints(schema);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const variants: Variants = Object.fromEntries(
    variantNames().map((name) => [name, toPlain(readVariant(name))]),
  );
  const described = fileSchema(schema);
  const keys = toldKeys(schema);
  const tableOf = keyTables(keys, schema, variants);
  const shipped = keysInUse();
  const [first, rest] = [true, false].map((isFirst) =>
    keys.filter(({ path }) => shipped.has(path) === isFirst),
  );
  const template = readFileSync(join(root, 'scripts/reference/page.md'), 'utf8');
  const tables = {
    contents: contentsOf(template),
    ...listTables(variants),
    'shipped keys': tableOf(first ?? []),
    kinds: kindsTable(schema, described.$defs),
  };
  const page = fillPage(template, tables, sectionsOf(rest ?? []), tableOf);
  const text = JSON.stringify(described, undefined, 2);
  return {
    page,
    schema: `${text}\n`,
    metrics: metricsPage(),
    events: eventsPage(),
    dashboard: dashboard(),
    config: configExample(),
  };
}

/** The keys of the tables. A map that has the keys of a type, and others, is told by its others. */
function toldKeys(schema: Schema): readonly Key[] {
  const keys = keysOf(schema).filter(({ entry }) => entry.docs?.example !== undefined);
  const ofTypes = new Set(keys.flatMap(({ entry, type }) => (type === undefined ? [] : [entry])));
  return keys.filter(({ entry, type }) => type !== undefined || !ofTypes.has(entry));
}

/** Links to the page's topics, in a line. */
function contentsOf(template: string): string {
  const topics = [...template.matchAll(/^## (.*)$/gm)].map(([, topic = '']) => topic);
  return topics
    .map((topic) => `[${topic}](#${topic.toLowerCase().replaceAll(' ', '-')})`)
    .join(' · ');
}

/** The keys that the shipped programmes use, as paths: `tokens`, `tokens.access` and so on. */
function keysInUse(): ReadonlySet<string> {
  const pathsIn = (value: unknown, path: string): readonly string[] => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
    const members = Object.entries(value);
    return [path, ...members.flatMap(([key, member]) => pathsIn(member, `${path}.${key}`))];
  };
  const files = globSync('programmes/*.yaml', { cwd: root });
  return new Set(
    files.flatMap((file) => {
      const { root: programme } = parseYaml(file, readFileSync(join(root, file), 'utf8'));
      if (programme === undefined) throw new Error(`${file} is no YAML`);
      return Object.entries(toPlain(programme) as object).flatMap(([key, value]) =>
        pathsIn(value, key),
      );
    }),
  );
}

/** What a schema does not tell of its keys and types, a sentence each; empty when it tells all. */
export function complaints(schema: Schema): readonly string[] {
  const kinds = [...typesOf(schema)].filter(([, type]) => !hasKeys(type));
  return [
    ...keysOf(schema).flatMap(({ path, entry, required }) => {
      const { docs, default: usual } = entry;
      if (docs === undefined) return [`"${path}" has no text: wrap its schema in key(…)`];
      if (docs.example === undefined) return [];
      if (usual !== undefined && docs.otherwise !== undefined) {
        return [`"${path}" has a default in the schema: remove its "otherwise"`];
      }
      return required || usual !== undefined || docs.otherwise !== undefined
        ? []
        : [`"${path}" can be left out: say in "otherwise" what holds then`];
    }),
    ...kinds
      .filter(([, type]) => notesOf(type).text === undefined)
      .map(([name]) => `the type "${name}" has neither keys nor a text: give it one in named(…)`),
  ];
}

/** Types whose keys need no table, since another's has the same. */
const toldElsewhere = ['error_field', 'redirect_field'] as const;

/** The keys by what they are under: a key of the file, or a type. */
function sectionsOf(keys: readonly Key[]): Map<string, readonly Key[]> {
  const sections = Map.groupBy(keys, ({ path }) => path.split('.')[0] ?? '');
  for (const type of toldElsewhere) sections.delete(type);
  return sections;
}

/**
 * The template with a table in each place it asks for; every table and section has its place.
 * `{{keys *}}` asks for the keys at the file's root that no place asks for by name.
 */
function fillPage(
  template: string,
  tables: Readonly<Record<string, string>>,
  sections: Map<string, readonly Key[]>,
  tableOf: (keys: readonly Key[]) => string,
): string {
  const unused = new Set([...Object.keys(tables), ...sections.keys()]);
  const take = <Found>(name: string, found: Found | undefined): Found => {
    if (found === undefined) throw new Error(`page.md asks for "${name}", which is not there`);
    unused.delete(name);
    return found;
  };
  const places = /^\{\{(keys )?(.+)\}\}$/gm;
  const asked = new Set([...template.matchAll(places)].flatMap(([, , names]) => names?.split(' ')));
  const others = [...sections].flatMap(([name, [key]]) =>
    asked.has(name) || key?.type !== undefined ? [] : [name],
  );
  const page = template.replaceAll(places, (_, keys, names: string) => {
    if (keys === undefined) return take(names, tables[names]);
    const named = names === '*' ? others : names.split(' ');
    return tableOf(named.flatMap((name) => take(name, sections.get(name))));
  });
  if (unused.size > 0) throw new Error(`page.md has no place for ${[...unused].join(', ')}`);
  return page;
}

if (import.meta.main) {
  const made = makeReference();
  for (const part of Object.keys(referencePaths) as (keyof Reference)[]) {
    writeFileSync(join(root, referencePaths[part]), made[part]);
  }
  for (const [path, page] of makePartnerPages()) writeFileSync(join(root, path), page);
}
