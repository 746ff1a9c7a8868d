// Owns the texts that describe a key's type and its default.

import { stringifyYaml } from '../lib/yaml/yaml.ts';
import { choicesOf, type Key, typeOf, withoutOptional } from './keys.ts';
import type { KeyDeparture } from './notes.ts';
import type { PipeStep, Schema, Shape } from './walk.ts';

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: '`true` or `false`',
  null: 'null',
  strict_object: 'map',
};

/** The type of a key in Markdown; `link` turns the name of a named type into a link. */
export function typeWords(schema: Schema, link: (type: string) => string): string {
  const of = (one: Schema | undefined): string => (one === undefined ? '' : typeWords(one, link));
  const inner = withoutOptional(schema);
  const title = typeOf(inner);
  if (title !== undefined) return link(title);
  const { type, literal, options = [], item, value, pipe = [] } = inner as Shape;
  if (type === 'literal') return code(inFlow(literal));
  if (type === 'picklist') return eitherWords(options.map((one) => code(inFlow(one))));
  if (type === 'nullable') return eitherWords([...choicesOf(inner).map(of), 'null']);
  const choices = choicesOf(inner);
  if (choices.length > 0) {
    const words = choices.map(of);
    const lists = new Set(words.map((one) => `list of ${one}`));
    return eitherWords(words.map((one) => (lists.has(one) ? 'a list' : one)));
  }
  if (type === 'array') return `list of ${of(item).replace(/^map of/, 'maps of')}`;
  if (type === 'record') return `map of ${of(value)}`;
  const required = (step: string): unknown =>
    pipe.find((one: PipeStep) => one.type === step)?.requirement;
  const form = required('regex');
  if (form instanceof RegExp) return `text ${code(formOf(form))}`;
  if (required('integer') !== undefined) {
    return `whole number, ${String(required('min_value'))} to ${String(required('max_value'))}`;
  }
  return typeNames[type] ?? type;
}

/** A pattern as JSON Schema writes it: without flags, slashes unescaped. */
export function formOf(form: RegExp): string {
  if (!['', 'u'].includes(form.flags)) throw new Error(`${form} has flags that are lost`);
  return new RegExp(form.source, 'u').source.replaceAll('\\/', '/');
}

/** The default of an optional key, in Markdown; empty where the schema states none. */
export function defaultWords({ entry, required }: Key): string {
  if (entry.default !== undefined) return code(inFlow(entry.default));
  return entry.docs?.otherwise ?? (required ? 'required' : '');
}

/** A departure of a key by itself, as a sentence in Markdown. */
export function departureWords({ name, message }: KeyDeparture<never>): string {
  return `Departure ${code(name)}: ${message}.`;
}

/** Inline code, with double backticks where the text contains a backtick. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A value in YAML on one line. */
export function inFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${inFlow(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  // YAML 1.2 reads words such as `off` as text, YAML 1.1 as booleans: stringify quotes them.
  if (typeof value === 'string' && /^(?!(?:true|false|null)$)[a-z_]\w*$/i.test(value)) return value;
  if (typeof value === 'string' && /[,[\]{}]/.test(value)) return JSON.stringify(value);
  return stringifyYaml(value).trimEnd();
}

function eitherWords(options: readonly string[]): string {
  const last = options.at(-1) ?? '';
  return options.length < 2 ? last : `${options.slice(0, -1).join(', ')} or ${last}`;
}
