// Owns the words for what may stand at a key, and for what holds where it is left out.

import { stringifyYaml } from '../lib/yaml/yaml.ts';
import { choicesOf, type Key, typeOf, withoutOptional } from './keys.ts';
import type { PipeStep, Schema, Shape } from './walk.ts';

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: '`true` or `false`',
  null: 'null',
  strict_object: 'map',
};

/** What may stand at a key, in Markdown; `link` makes the words of a type of the name of one. */
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
  if (choices.length > 0) return eitherWords(choices.map(of));
  if (type === 'array') return `list of ${of(item).replace(/^map of/, 'maps of')}`;
  if (type === 'record') return `map of ${of(value)}`;
  const required = (step: string): unknown =>
    pipe.find((one: PipeStep) => one.type === step)?.requirement;
  const form = required('regex');
  if (form instanceof RegExp) return `text of the form ${code(formOf(form))}`;
  if (required('integer') !== undefined) {
    return `whole number, ${String(required('min_value'))} to ${String(required('max_value'))}`;
  }
  return typeNames[type] ?? type;
}

/** A form as JSON Schema has it: without flags, and a slash in it as it is. */
export function formOf(form: RegExp): string {
  if (!['', 'u'].includes(form.flags)) throw new Error(`${form} has flags that are lost`);
  return new RegExp(form.source, 'u').source.replaceAll('\\/', '/');
}

/** What holds where a key is left out, in Markdown; empty where nothing is said of that. */
export function defaultWords({ entry, required }: Key): string {
  if (entry.default !== undefined) return code(inFlow(entry.default));
  return entry.told?.otherwise ?? (required ? 'required' : '');
}

/** Inline code; double backticks where the text holds one. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A value on one line, as it would stand in a file. */
export function inFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${inFlow(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  // YAML 1.2 reads words such as `off` as text, which older readers do not: stringify quotes them.
  if (typeof value === 'string' && /^(?!(?:true|false|null)$)[a-z_]\w*$/i.test(value)) return value;
  if (typeof value === 'string' && /[,[\]{}]/.test(value)) return JSON.stringify(value);
  return stringifyYaml(value).trimEnd();
}

function eitherWords(options: readonly string[]): string {
  const last = options.at(-1) ?? '';
  return options.length < 2 ? last : `${options.slice(0, -1).join(', ')} or ${last}`;
}
