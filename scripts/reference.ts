// Owns `npm run reference`: the reference page and the JSON Schema of programme files, both made of
// the schema that loads them and one set of texts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { toPlain } from '../src/lib/document.ts';
import { definitionSchema } from '../src/programme/language/definition.ts';
import { readVariant, variantNames } from '../src/programme/language/variants.ts';
import type { Schema } from '../src/schema/walk.ts';
import { complaints, describe, isListed } from './reference/documentation.ts';
import { fileSchema } from './reference/file_schema.ts';
import { translate, type Translation } from './reference/json_schema.ts';
import { type Key, keysOf } from './reference/keys.ts';
import { kindsTable, listTables } from './reference/lists.ts';
import { keyTable, type Variants } from './reference/markdown.ts';

const root = join(import.meta.dirname, '..');

/** Where the reference is written, from the checkout's root. */
export const referencePaths = {
  page: 'docs/programme-reference.md',
  schema: 'docs/programme.schema.json',
} as const;

/** The texts of both files. */
export interface Reference {
  readonly page: string;
  readonly schema: string;
}

/** What no variant says, so that each file on one must. */
const saidByFile = ['name', 'programme_identifier', 'base_path'];

/**
 * Makes the reference.
 *
 * @throws an error that lists every key without a text, and every text without a key
 */
export function makeReference(schema: Schema = definitionSchema): Reference {
  const translation = withVariants(translate(schema));
  const faults = complaints(translation);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const variants: Variants = Object.fromEntries(
    variantNames().map((name) => [name, variantDocument(name)]),
  );
  const described = fileSchema(describe(translation), { base: 'variant', saidByFile });
  const tables = {
    ...listTables(variants),
    kinds: kindsTable(translation),
  };
  const keys = keysOf(translation).filter(({ path }) => !isListed(path));
  const template = readFileSync(join(root, 'scripts/reference/page.md'), 'utf8');
  const page = fillPage(template, tables, sectionsOf(keys), (section) =>
    keyTable(section, translation, variants),
  );
  return { page, schema: `${JSON.stringify(described, undefined, 2)}\n` };
}

/** The names of the variants are known to who loads a file, not to the schema. */
function withVariants({ root: whole, definitions }: Translation): Translation {
  const variant = { enum: variantNames() };
  return { root: { ...whole, properties: { ...whole.properties, variant } }, definitions };
}

function variantDocument(name: string): unknown {
  const { root: document } = readVariant(name);
  if (document === undefined) throw new Error(`the variant ${name} cannot be read`);
  return toPlain(document);
}

/** Types whose keys need no table, since another's has the same. */
const toldElsewhere = ['error_field', 'redirect_field'] as const;

/** The keys by what they are under: a key of the file, or a type. */
function sectionsOf(keys: readonly Key[]): Map<string, readonly Key[]> {
  const sections = Map.groupBy(keys, ({ path }) => path.split('.')[0] ?? '');
  for (const type of toldElsewhere) sections.delete(type);
  return sections;
}

/** The template with a table in each place it asks for; every table and section has its place. */
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
  const page = template.replaceAll(/^\{\{(keys )?(.+)\}\}$/gm, (_, keys, names: string) =>
    keys === undefined
      ? take(names, tables[names])
      : tableOf(names.split(' ').flatMap((name) => take(name, sections.get(name)))),
  );
  if (unused.size > 0) throw new Error(`page.md has no place for ${[...unused].join(', ')}`);
  return page;
}

if (import.meta.main) {
  const { page, schema } = makeReference();
  writeFileSync(join(root, referencePaths.page), page);
  writeFileSync(join(root, referencePaths.schema), schema);
}
