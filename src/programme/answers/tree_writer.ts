// Owns writing answers: compiles a layout to a function from values to the text of a body.

import { type Encoding, encodingOf, unencoded } from '../../language/encoding.ts';
import { formatterOf, type SplitScope } from '../../language/value_format.ts';
import {
  type Field,
  fieldsOf,
  type FieldTree,
  inCase,
  isAttribute,
  type NameCase,
  type NamedField,
  type Scalar,
  wrapped,
} from '../../language/value_tree.ts';
import { nothing, type Vocabulary } from '../../language/vocabularies.ts';

/** Values of one answer, by name; spans and instants in milliseconds. */
export type Values = Readonly<Record<string, string | number | undefined>>;

export interface WritingRules {
  readonly vocabulary: Vocabulary;
  /** The value that `only` is compared with: the grant, or the failure reason. */
  readonly occasion: string;
  readonly split: SplitScope;
  readonly nameCase?: NameCase;
  /** Names of objects that enclose the whole body, outermost first. */
  readonly wrap?: readonly string[];
  readonly encoding?: Encoding;
  /** A text before the body. */
  readonly before?: string | undefined;
}

/** An encoded value, or one for each item of a list; undefined for a missing value. */
type Written = Scalar | readonly Scalar[] | undefined;
type Writer = (values: Values) => Written;

interface Compilation extends WritingRules {
  readonly encoding: Encoding;
  readonly nameCase: NameCase;
}

/** A function from values to the body; members keep the file's order. */
export function compileBody(tree: FieldTree, rules: WritingRules): (values: Values) => string {
  const { encoding = encodingOf.json, nameCase = 'as_written', wrap = [], before = '' } = rules;
  const write = compileObject(wrapped(tree, wrap), { ...rules, encoding, nameCase });
  return (values) => before + encoding.document(write(values));
}

/** A function from values to texts by name, without absent values; undefined for an empty tree. */
export function compileTexts(
  tree: FieldTree,
  rules: WritingRules,
): ((values: Values) => Record<string, string>) | undefined {
  const writers = [...tree].map(([name, field]) => {
    const write = compileBody(new Map([[name, field]]), { ...rules, encoding: encodingOf.text });
    return [name, write] as const;
  });
  if (writers.length === 0) return undefined;
  return (values) => {
    const written: Record<string, string> = {};
    for (const [name, write] of writers) {
      const text = write(values);
      if (text !== '') written[name] = text;
    }
    return written;
  };
}

/** A function from values to an object, for claims. */
export function compileClaims(
  tree: FieldTree,
  rules: WritingRules,
): (values: Values) => Readonly<Record<string, unknown>> {
  if (tree.size === 0) return () => noClaims;
  const write = compileBody(tree, rules);
  const isBare = (field: Field): boolean =>
    typeof field === 'object' && 'type' in field && field.type === 'number';
  const reviver = Array.from(fieldsOf(tree)).some(isBare) ? withAllDigits : undefined;
  return (values) => JSON.parse(write(values), reviver) as Record<string, unknown>;
}

const noClaims = Object.freeze({});

/** ECMAScript 2026, of which TypeScript's library knows nothing yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Keeps the digits of a number that a JavaScript number cannot hold. */
function withAllDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || source === String(value)) return value;
  return rawJSON(source);
}

function compileObject(tree: FieldTree, rules: Compilation): (values: Values) => string {
  const { encoding, nameCase } = rules;
  const members = [...tree].map(([name, field]) => {
    const { member, attribute = member } = encoding;
    const enclose = (isAttribute(field) ? attribute : member)(inCase(name, nameCase));
    return { enclose, write: compileField(field, rules) };
  });
  return (values) => {
    const written: string[] = [];
    for (const { enclose, write } of members) {
      const value = write(values);
      if (isList(value)) written.push(...value.map((item) => enclose(String(item))));
      else if (value !== undefined) written.push(enclose(String(value)));
    }
    return encoding.object(written);
  };
}

/** Writes nothing on occasions that `only` excludes. */
function compileField(field: Field, rules: Compilation): Writer {
  const write = compileForm(field, rules);
  if (typeof field === 'string' || field.only === undefined) return write;
  const occasions = new Set<unknown>(field.only);
  return (values) => (occasions.has(values[rules.occasion]) ? write(values) : undefined);
}

function compileForm(field: Field, rules: Compilation): Writer {
  if (typeof field === 'string') return compileNamed({ value: field }, rules);
  if ('value' in field) return compileNamed(field, rules);
  if ('object' in field) return compileObject(field.object, rules);
  if ('array' in field) return compileArray(field.array, rules);
  if ('first' in field) return compileFirst(field.first, rules);
  if ('joined' in field) return compileJoined(field.joined, rules);
  const { scalar, digits = scalar } = rules.encoding;
  const constant =
    field.type === 'number' ? digits(String(field.constant)) : scalar(field.constant);
  return () => constant;
}

function isList(value: Written): value is readonly Scalar[] {
  return Array.isArray(value);
}

function compileArray(fields: readonly Field[], rules: Compilation): Writer {
  const items = fields.map((item) => compileField(item, rules));
  const { array } = rules.encoding;
  return (values) => {
    const written = items.flatMap((write) => write(values) ?? []);
    return array === undefined ? written : array(written);
  };
}

function compileFirst(fields: readonly Field[], rules: Compilation): Writer {
  const writers = fields.map((one) => compileField(one, rules));
  return (values) => {
    for (const write of writers) {
      const found = write(values);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function compileJoined(fields: readonly Field[], rules: Compilation): Writer {
  const parts = fields.map((one) => compileField(one, { ...rules, encoding: unencoded }));
  const { scalar } = rules.encoding;
  return (values) => {
    let joined = '';
    for (const part of parts) {
      const value = part(values);
      if (value === undefined || value === null) return undefined;
      joined += isList(value) ? value.join(' ') : String(value);
    }
    return scalar(joined);
  };
}

function compileNamed(
  { value: name, as, type, absent, ...writing }: NamedField,
  { vocabulary, split, encoding: { scalar, array, digits = scalar } }: Compilation,
): Writer {
  const none = scalar(null);
  if (name === nothing) return () => none;
  const format = formatterOf(vocabulary.values[name]?.[0] ?? 'text', as, split, writing);
  return (values) => {
    const value = values[name];
    if (value === undefined) return absent === 'nothing' ? none : undefined;
    const written = format(value);
    if (typeof written === 'object') {
      const items = written.map(scalar);
      return array === undefined ? items : array(items);
    }
    if (type === 'string') return scalar(String(written));
    const isBare = type === 'number' && typeof written === 'string' && wholeNumber.test(written);
    return isBare ? digits(written) : scalar(written);
  };
}

/** A text that JSON has as a number, of any length; `00123`, `1.0` and a UUID stay texts. */
export const wholeNumber: RegExp = /^(?:0|-?[1-9]\d*)$/;
