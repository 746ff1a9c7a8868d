// Owns the wording of faults: what the schema expected, what the document has, and how to mend it.

import type * as v from 'valibot';

import { type FaultCode, quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import type { Schema, Shape } from './walk.ts';

type Issue = v.BaseIssue<unknown>;

/** A message, and how to mend the fault. */
export interface Words {
  readonly code?: FaultCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What a schema accepts: certain values, kinds of value, or both. */
export interface Expected {
  readonly values: readonly unknown[];
  readonly kinds: readonly string[];
}

/** The kinds of value by the types of their schemas. */
const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
  strict_object: 'a map',
  record: 'a map',
  variant: 'a map',
  array: 'a list',
};

/** What a schema accepts before the checks in its pipe. */
export function expectedBy({ type, literal, options = [] }: Shape): Expected {
  if (type === 'literal') return { values: [literal], kinds: [] };
  if (type === 'picklist') return { values: options, kinds: [] };
  if (type !== 'union') return { values: [], kinds: [kindWords[type] ?? 'another value'] };
  const all = (options as readonly Schema[]).map(expectedBy);
  const kinds = new Set(all.flatMap((one) => one.kinds));
  return { values: all.flatMap(({ values }) => values), kinds: [...kinds] };
}

/** `expected text, found the number 123`; undefined stands for a missing value. */
export function mismatchWords(expected: Expected, node: YamlNode | undefined): Words {
  const values = expected.values.map(showValue);
  const hint = mismatchHint(expected, node);
  if (expected.kinds.length === 0) {
    const wanted = values.length === 1 ? values[0] : `one of ${shorten(values)}`;
    return { message: `expected ${wanted}; found ${foundAmongValues(node)}`, hint };
  }
  const parts = [...(values.length > 0 ? [shorten(values)] : []), ...expected.kinds];
  const last = parts.length > 1 ? ` or ${parts.pop()}` : '';
  return { message: `expected ${parts.join(', ')}${last}, found ${describe(node)}`, hint };
}

function describe(node: YamlNode | undefined): string {
  if (node === undefined) return 'nothing';
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `the text ${quote(node.value)}`;
  return typeof node.value === 'number' ? `the number ${node.value}` : String(node.value);
}

function foundAmongValues(node: YamlNode | undefined): string {
  const text = node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  return text === undefined ? describe(node) : quote(text);
}

function mismatchHint(expected: Expected, node: YamlNode | undefined): string | undefined {
  if (node?.kind !== 'scalar') return undefined;
  const texts = expected.values.filter((value) => typeof value === 'string');
  const { value, source } = node;
  if (value === true && texts.includes('on')) return 'write on';
  if (value === false && texts.includes('off')) return 'write off';
  if (typeof value !== 'string') {
    const wanted = expected.kinds.includes('text') || texts.includes(source ?? '');
    if (!wanted || source === undefined || source === '') return undefined;
    const read = typeof value === 'boolean' ? 'true or false, not as text' : describe(node);
    return `${source} is read as ${read}; put it in quotes: ${quote(source)}`;
  }
  if (expected.kinds.includes('a number') && source === undefined && /^-?\d+$/.test(value)) {
    return `write it without quotes: ${value}`;
  }
  if (expected.kinds.includes('true or false')) {
    if (/^(yes|on|true)$/i.test(value)) return 'write true';
    if (/^(no|off|false)$/i.test(value)) return 'write false';
  }
  if (/^(?:yes|true)$/i.test(value) && texts.includes('on')) return 'write on';
  if (/^(?:no|false|none)$/i.test(value) && texts.includes('off')) return 'write off';
  return didYouMean(value, texts);
}

/** `unknown key "redirct_uri"`, with the most similar key, or all possible keys if they are few. */
export function unknownKeyWords(
  key: string,
  open: readonly string[],
  allowed: readonly string[],
): Words {
  const list = allowed.join(', ');
  const all = allowed.length > 0 && list.length <= 120 ? `allowed: ${list}` : undefined;
  const hint = didYouMean(key, open) ?? all;
  return { code: 'unknown_key', message: `unknown key ${quote(key)}`, hint };
}

function showValue(value: unknown): string {
  return typeof value === 'string' && !/^[\w.:/+-]+$/.test(value) ? quote(value) : String(value);
}

function shorten(values: readonly string[]): string {
  const shown: string[] = [];
  for (const value of values) {
    if ([...shown, value].join(', ').length > 160) break;
    shown.push(value);
  }
  const rest = values.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`;
}

/** What a validation without an author's message expects; `%` stands for its requirement. */
const validations: Readonly<Record<string, string>> = {
  min_value: '% or more',
  max_value: '% or less',
  integer: 'a whole number',
};

export function validationWords(issue: Issue, node: YamlNode | undefined): string {
  const template = validations[issue.type];
  if (template === undefined) return `this is not valid (${issue.type})`;
  const expected = template.replace('%', () => String(issue.requirement));
  return `expected ${expected}, found ${describe(node)}`;
}

/** An input has a name in files, in snake_case, and another on the wire. */
export function snakeCaseWords(name: string): string {
  const words = name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? [];
  const role = words.join('_').toLowerCase();
  const expected = 'expected a name in snake_case';
  if (!/^[a-z][a-z0-9_]{0,49}$/.test(role) || !/^[A-Za-z][\w.-]*$/.test(name)) return expected;
  return `${expected}, and the name on the wire by its key name: ${role}: { name: ${name} }`;
}
