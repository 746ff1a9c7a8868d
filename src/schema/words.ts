// Owns the wording of faults: what the schema expected, what the document has, and how to mend it.

import type * as v from 'valibot';

import { quote } from '../lib/fault.ts';
import { suggest } from '../lib/suggest.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { kindOfType, optionsOf, type Schema, type Shape, type Subject, unwrap } from './walk.ts';

type Issue = v.BaseIssue<unknown>;

/** A message, and how to mend the fault. */
export interface Words {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What a schema accepts: certain values, kinds of value, or both. */
export interface Expected {
  readonly values: readonly unknown[];
  readonly kinds: readonly string[];
}

const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
};

export function expectedOf(schema: Schema, subject: Subject): Expected {
  const shape = unwrap(schema, subject);
  if (shape.type === 'union') {
    return joinExpected(optionsOf(shape).map((option) => expectedOf(option, subject)));
  }
  return expectedOfShape(shape);
}

export function expectedOfShape(shape: Shape): Expected {
  if (shape.type === 'literal') return { values: [shape.literal], kinds: [] };
  if (shape.type === 'picklist' || shape.type === 'enum') {
    return { values: shape.options ?? [], kinds: [] };
  }
  const kind = kindOfType(shape.type);
  const words = kind === undefined ? kindWords[shape.type] : `a ${kind}`;
  return { values: [], kinds: [words ?? 'another kind of value'] };
}

/** What a schema accepts, read from its issue only: valibot quotes accepted values in its text. */
export function expectedOfIssue(issue: Issue): Expected {
  const values = [...(issue.expected ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1]);
  return values.length > 0 ? { values, kinds: [] } : expectedOfShape({ type: issue.type });
}

/** What any of several options accepts. */
export function joinExpected(all: readonly Expected[]): Expected {
  return {
    values: [...new Set(all.flatMap((one) => one.values))],
    kinds: [...new Set(all.flatMap((one) => one.kinds))],
  };
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
  return { message: `unknown key ${quote(key)}`, hint: didYouMean(key, open) ?? all };
}

function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const near = suggest(word, candidates);
  return near === undefined ? undefined : `did you mean ${quote(near)}?`;
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

// What a validation without an author's message expects; `%` stands for its requirement.
const validations: Readonly<Record<string, string>> = {
  min_value: '% or more',
  max_value: '% or less',
  gt_value: 'more than %',
  lt_value: 'less than %',
  min_length: 'at least % #',
  max_length: 'at most % #',
  length: 'exactly % #',
  min_entries: 'at least % keys',
  max_entries: 'at most % keys',
  min_bytes: 'at least % bytes',
  max_bytes: 'at most % bytes',
  non_empty: 'at least one #',
  integer: 'a whole number',
  safe_integer: 'a whole number',
  finite: 'a finite number',
  multiple_of: 'a multiple of %',
  starts_with: 'text that starts with %',
  ends_with: 'text that ends with %',
  includes: 'text with % in it',
  excludes: 'text without % in it',
  regex: 'text of the form %',
  digits: 'digits only',
  url: 'a URL',
  ip: 'an IP address',
};

export function validationWords(issue: Issue, node: YamlNode | undefined): string {
  const template = validations[issue.type];
  if (template === undefined) return `this is not valid (${issue.type})`;
  const unit = Array.isArray(issue.input) ? 'item' : 'character';
  const { requirement } = issue;
  const shown = typeof requirement === 'string' ? quote(requirement) : String(requirement);
  const expected = template
    .replace('#', template.includes('one #') || requirement === 1 ? unit : `${unit}s`)
    .replace('%', () => shown);
  // For lengths and numbers of keys, `received` is the count.
  const counted = /^\d+$/.test(issue.received) && typeof issue.input !== 'number';
  return `expected ${expected}, found ${counted ? issue.received : describe(node)}`;
}
