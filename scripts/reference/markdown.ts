// Owns the Markdown of the reference: tables of keys, and links to types.

import {
  code,
  defaultWords,
  departureWords,
  inFlow,
  typeWords,
} from '../../src/schema/key_words.ts';
import { hasKeys, type Key, typesOf } from '../../src/schema/keys.ts';
import type { KeyDeparture } from '../../src/schema/notes.ts';
import type { Schema } from '../../src/schema/walk.ts';

/** The variants' own documents, as plain values by name. */
export type Variants = Readonly<Record<string, unknown>>;

/** A table; cells must not hold line breaks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * A function for the tables of some of all keys, in the order of the page: a departure that several keys can make is
 * told at the first of them.
 */
export function keyTables(
  all: readonly Key[],
  schema: Schema,
  variants: Variants,
): (some: readonly Key[]) => string {
  const types = typesOf(schema);
  const told = new Set<string>();
  const departureOf = (departure: KeyDeparture<never>): string => {
    const words = departureWords(departure);
    if (told.has(words)) return `Departure ${code(departure.name)}.`;
    told.add(words);
    return words;
  };
  return (some) => keyTable(some, { all, types, variants, departureOf });
}

interface Telling {
  readonly all: readonly Key[];
  readonly types: ReadonlyMap<string, Schema>;
  readonly variants: Variants;
  readonly departureOf: (departure: KeyDeparture<never>) => string;
}

function keyTable(some: readonly Key[], { all, types, variants, departureOf }: Telling): string {
  const rows = some.map((key) => {
    const { text = '', example = '', departs = [] } = key.entry.docs ?? {};
    return [
      code(shownPath(key)),
      typeWords(key.entry as Schema, (type) => linkTo(type, types)),
      defaultOf(key, all, variants),
      [text, ...departs.map(departureOf)].join(' '),
      code(example),
    ];
  });
  return table(['Key', 'Type', 'Default', 'What it does', 'Example'], rows);
}

/** Keys of a type are listed by themselves, keys of a scope at their place in a file. */
function shownPath({ path, type }: Key): string {
  if (type === undefined) return path;
  return path.replace(`${type}.`, type.endsWith('_scope') ? 'scope.' : '');
}

/** Types with keys have their own heading; the template describes the others in one section. */
function linkTo(name: string, types: ReadonlyMap<string, Schema>): string {
  const type = types.get(name);
  if (type === undefined) throw new Error(`there is no type ${name}`);
  const heading = headings[name] ?? (hasKeys(type) ? undefined : 'kinds-of-values');
  if (heading === undefined) throw new Error(`the type ${name} has no heading`);
  return `[${name.replaceAll('_', ' ')}](#${heading})`;
}

/** The section of the page that describes types. */
const headings: Readonly<Record<string, string>> = {
  endpoint: 'endpoints',
  input: 'inputs',
  value_shape: 'value-shapes',
  login_messages: 'messages-of-the-login-page',
  login_labels: 'labels-of-the-login-page',
  page_text: 'pages-in-place-of-the-form',
  language: 'further-languages',
  colour_scheme: 'colours',
  brand: 'brands',
  grant: 'grants',
  answer_form: 'forms-of-an-answer',
  cookie: 'cookies',
  token_field: 'fields-of-an-answer',
  error_field: 'fields-of-an-answer',
  redirect_field: 'fields-of-an-answer',
  page_failure: 'failures-of-a-login-request',
  login_failure: 'failures-of-a-login-request',
  error_answer: 'failures-of-a-token-request',
  error_group: 'error-groups',
  level_scope: 'scope',
  list_scope: 'scope',
  token_value: 'named-values',
  error_value: 'named-values',
  character_class: 'character-classes',
  failure_reason: 'failures-of-a-token-request',
};

/** The default of a key, and its values in the variants. */
function defaultOf(key: Key, keys: readonly Key[], variants: Variants): string {
  const usual = defaultWords(key);
  // A map's keys have their own rows.
  if (keys.some((other) => other.path.startsWith(`${key.path}.`))) return usual;
  const said = Object.entries(variants).flatMap(([variant, document]) => {
    const value = valueAt(document, key.path.split('.'));
    const text = value === undefined ? '' : inFlow(value);
    const isNews = text !== '' && text.length <= 60 && code(text) !== usual;
    return isNews ? [[variant, code(text)] as const] : [];
  });
  const texts = new Set(said.map(([, text]) => text));
  const [only] = texts;
  if (said.length === 2 && texts.size === 1) return `${usual}; in both variants ${only}`;
  return [usual, ...said.map(([variant, text]) => `${variant}: ${text}`)].join('; ');
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, step) => (found as Readonly<Record<string, unknown>> | undefined)?.[step],
    value,
  );
}
