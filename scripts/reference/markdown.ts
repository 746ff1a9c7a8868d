// Owns how the reference looks as Markdown: types, defaults and tables of keys.

import { stringifyYaml } from '../../src/lib/yaml/yaml.ts';
import { docOf } from './documentation.ts';
import { parseExample } from './example.ts';
import type { JsonSchema, Translation } from './json_schema.ts';
import { isMapType, type Key } from './keys.ts';

/** The variants' own documents, as plain values by name. */
export type Variants = Readonly<Record<string, unknown>>;

/** A table; cells must not hold line breaks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Inline code; double backticks where the text holds one. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A value on one line, as it would stand in a file. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${flow(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value === 'string' && /^\w+$/.test(value) && parseExample(value) === value)
    return value;
  if (typeof value === 'string' && /[,[\]{}]/.test(value)) return JSON.stringify(value);
  return stringifyYaml(value).trimEnd();
}

/** The table of some keys. */
export function keyTable(
  keys: readonly Key[],
  { definitions }: Translation,
  variants: Variants,
): string {
  const rows = keys.map((key) => {
    const doc = docOf(key.path);
    if (doc === undefined) throw new Error(`nothing is said of ${key.path}`);
    const name = key.path.split('.').at(-1) ?? '';
    return [
      code(shownPath(key)),
      typeOf(key.schema, definitions),
      defaultOf(key, doc.otherwise, keys, variants),
      doc.text,
      code(`${name}: ${doc.example}`),
    ];
  });
  return table(['Key', 'Type', 'Default', 'What it does', 'Example'], rows);
}

/** Keys of a type stand by themselves; those of a scope, where they stand in a file. */
function shownPath({ path, type }: Key): string {
  if (type === undefined) return path;
  return path.replace(`${type}.`, type.endsWith('_scope') ? 'scope.' : '');
}

function typeOf(schema: JsonSchema, definitions: Translation['definitions']): string {
  const of = (one: JsonSchema): string => typeOf(one, definitions);
  const { $ref, anyOf, items, additionalProperties, pattern } = schema;
  if ($ref !== undefined) return linkTo($ref.replace('#/$defs/', ''), definitions);
  if (schema.const !== undefined) return code(flow(schema.const));
  if (schema.enum !== undefined) return anyOfWords(schema.enum.map((one) => code(flow(one))));
  if (anyOf !== undefined) return anyOfWords(anyOf.map(of));
  if (items !== undefined) return `list of ${of(items).replace(/^map of/, 'maps of')}`;
  if (additionalProperties) return `map of ${of(additionalProperties)}`;
  if (schema.properties !== undefined) return 'map';
  if (pattern !== undefined) return `text of the form ${code(pattern)}`;
  if (schema.type === 'integer') return `whole number, ${schema.minimum} to ${schema.maximum}`;
  return anyOfWords([schema.type ?? 'value'].flat().map((type) => typeWords[type] ?? type));
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: '`true` or `false`',
  null: 'null',
};

/** Types with keys have a heading of their own; most others are told of in one place. */
function linkTo(name: string, definitions: Translation['definitions']): string {
  const label = name.replaceAll('_', ' ');
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`there is no type ${name}`);
  const heading = headings[name] ?? (isMapType(definition) ? undefined : 'kinds-of-values');
  if (heading === undefined) throw new Error(`the type ${name} has no heading`);
  return `[${label}](#${heading})`;
}

/** Where the page tells of types. */
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

function anyOfWords(options: readonly string[]): string {
  const last = options.at(-1) ?? '';
  return options.length < 2 ? last : `${options.slice(0, -1).join(', ')} or ${last}`;
}

/** What holds where the key is left out, and what the variants say. */
function defaultOf(
  { path, schema, required }: Key,
  otherwise: string | undefined,
  keys: readonly Key[],
  variants: Variants,
): string {
  const usual =
    schema.default === undefined
      ? (otherwise ?? (required ? 'required' : ''))
      : code(flow(schema.default));
  // What a map holds is told key by key.
  if (keys.some((other) => other.path.startsWith(`${path}.`))) return usual;
  const said = Object.entries(variants).flatMap(([variant, document]) => {
    const value = valueAt(document, path.split('.'));
    const text = value === undefined ? '' : flow(value);
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
