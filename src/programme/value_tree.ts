// Owns answer layouts: the ordered tree of named values and constants that a dialect answers with.

import * as v from 'valibot';

import { type GrantType, grantTypes } from '../oauth/grant.ts';
import { wireNameSchema } from './scalar_schema.ts';
import { note } from './schema_notes.ts';
import {
  formatFits,
  formatterOf,
  type ValueFormat,
  valueFormats,
  type ValueKind,
} from './value_format.ts';

export type Scalar = string | number | boolean | null;

/** A value by name, with how it is written. */
export interface NamedField {
  readonly value: string;
  /** Lifetimes take seconds, milliseconds or minutes, times the rest of `ValueFormat`. */
  readonly as?: ValueFormat;
  /** `string` puts a number in quotes; `number` writes digits bare. */
  readonly type?: 'string' | 'number';
  /** `nothing` writes `null` where there is no such value, instead of leaving the member out. */
  readonly absent?: 'omit' | 'nothing';
  /** Grants whose answers have it; all of them where it is left out. */
  readonly only?: readonly GrantType[];
}

export type Field =
  | string
  | NamedField
  | { readonly constant: Scalar; readonly only?: readonly GrantType[] }
  | { readonly object: FieldTree; readonly only?: readonly GrantType[] }
  | { readonly array: readonly Field[] };

export interface FieldTree {
  readonly [name: string]: Field;
}

export type NameCase = 'as_written' | 'lower' | 'upper';
export const nameCaseSchema: v.GenericSchema<unknown, NameCase> = v.picklist([
  'as_written',
  'lower',
  'upper',
]);

/**
 * A value of every answer: `null`. A file cannot write it as a constant, since a null in a file
 * that is laid over a variant removes the key.
 */
const nothing = 'nothing';

/** The values an answer can be made of, and what each is. */
export type ValueKinds = Readonly<Record<string, ValueKind>>;

/** Values by name for one answer; spans and instants in milliseconds. */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** JSON's readers and ours keep 53 bits of a whole number (RFC 8259 6). */
const exactNumberSchema = v.pipe(
  v.number(),
  v.check(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    'a number this large would change when it is read: write it in quotes',
  ),
);

const onlySchema = v.exactOptional(v.array(v.picklist(grantTypes)));

/**
 * The schema of a tree whose values are those of `kinds`; names beginning with `prefixes` are free.
 * `answer` names what it is a tree of: `token` or `error`.
 */
export function fieldTreeSchema(
  answer: string,
  kinds: ValueKinds,
  prefixes: readonly string[] = [],
): v.GenericSchema<unknown, FieldTree> {
  const names = [...Object.keys(kinds), nothing];
  const name = v.pipe(
    v.string(),
    v.check(
      (text) => names.includes(text) || prefixes.some((prefix) => text.startsWith(prefix)),
      (issue) =>
        `"${issue.input}" is no value an answer can hold; expected one of ${names.join(', ')}`,
    ),
    v.title(`${answer} value`),
    note({ json: { anyOf: [{ enum: names }, ...prefixes.map(beginningWith)] } }),
  );
  const named = v.pipe(
    v.strictObject({
      value: name,
      as: v.exactOptional(v.picklist(valueFormats)),
      type: v.exactOptional(v.picklist(['string', 'number'])),
      absent: v.exactOptional(v.picklist(['omit', 'nothing'])),
      only: onlySchema,
    }),
    v.check(
      (field) => field.as === undefined || formatFits(kinds[field.value] ?? 'text', field.as),
      'this value cannot be written that way: lifetimes take seconds, milliseconds or minutes, times take epoch, epoch_milliseconds, date, date_time, date_time_milliseconds or http_date',
    ),
  );
  const constant = v.strictObject({
    constant: v.union([v.string(), exactNumberSchema, v.boolean(), v.null()]),
    only: onlySchema,
  });
  const field: v.GenericSchema<unknown, Field> = v.pipe(
    v.lazy((input): v.GenericSchema<unknown, Field> => {
      if (typeof input !== 'object' || input === null) return name;
      if ('constant' in input) return constant;
      if ('object' in input) return object;
      return 'array' in input ? array : named;
    }),
    v.title(`${answer} field`),
    note({ alternatives: () => [name, named, constant, object, array] }),
  );
  const members: v.GenericSchema<unknown, FieldTree> = v.record(wireNameSchema, field);
  // Maps merge and lists replace, so a list says what there is, in which order, and nothing else.
  const whole = v.pipe(
    v.array(members),
    v.check((maps) => isEachNamedOnce(maps), 'a name is given twice in this list'),
    v.transform((maps) => Object.fromEntries(maps.flatMap((map) => Object.entries(map)))),
  );
  const tree: v.GenericSchema<unknown, FieldTree> = v.pipe(
    v.lazy((input) => (Array.isArray(input) ? whole : members)),
    note({ alternatives: () => [members, whole] }),
  );
  const object = v.strictObject({ object: tree, only: onlySchema });
  const array = v.strictObject({ array: v.array(field) });
  return tree;
}

function isEachNamedOnce(maps: readonly object[]): boolean {
  const names = maps.flatMap((map) => Object.keys(map));
  return new Set(names).size === names.length;
}

function beginningWith(prefix: string): Readonly<Record<string, unknown>> {
  return { type: 'string', pattern: `^${prefix.replaceAll('.', '\\.')}` };
}

type Written = Scalar | undefined | { [name: string]: Written } | Written[];
type Writer = (values: Values) => Written;

/** A function from values to the JSON text of the tree, with members in the file's order. */
export function compileTree(
  tree: FieldTree,
  kinds: ValueKinds,
  nameCase: NameCase = 'as_written',
): (values: Values) => Readonly<Record<string, unknown>> {
  return compileObject(tree, kinds, nameCase);
}

function compileObject(
  tree: FieldTree,
  kinds: ValueKinds,
  nameCase: NameCase,
): (values: Values) => { [name: string]: Written } {
  const members = Object.entries(tree).map(
    ([name, field]) => [inCase(name, nameCase), compileField(field, kinds, nameCase)] as const,
  );
  return (values) => {
    const object: { [name: string]: Written } = {};
    for (const [name, write] of members) {
      const written = write(values);
      if (written !== undefined) object[name] = written;
    }
    return object;
  };
}

function compileField(field: Field, kinds: ValueKinds, nameCase: NameCase): Writer {
  const write = compileWriter(field, kinds, nameCase);
  if (typeof field === 'string' || !('only' in field) || field.only === undefined) return write;
  const grants = new Set<unknown>(field.only);
  return (values) => (grants.has(values['grant']) ? write(values) : undefined);
}

function compileWriter(field: Field, kinds: ValueKinds, nameCase: NameCase): Writer {
  if (typeof field === 'string') return compileNamed({ value: field }, kinds);
  if ('constant' in field) {
    const { constant } = field;
    return () => constant;
  }
  if ('object' in field) return compileObject(field.object, kinds, nameCase);
  if ('array' in field) {
    const items = field.array.map((item) => compileField(item, kinds, nameCase));
    return (values) => items.map((write) => write(values)).filter((item) => item !== undefined);
  }
  return compileNamed(field, kinds);
}

function compileNamed(field: NamedField, kinds: ValueKinds): Writer {
  const { value: name, type } = field;
  const format = formatterOf(kinds[name] ?? 'text', field.as);
  if (name === nothing) return () => null;
  const absent = field.absent === 'nothing' ? null : undefined;
  return (values) => {
    const value = values[name];
    if (value === undefined) return absent;
    const written = format(value);
    if (type === 'string') return String(written);
    return type === 'number' ? bareNumber(written) : written;
  };
}

/** What no number can say (`00123`, a UUID, more digits than JSON readers keep) stays in quotes. */
function bareNumber(written: string | number): string | number {
  const number = Number(written);
  return Number.isSafeInteger(number) && String(number) === String(written) ? number : written;
}

/** Wire names and texts in the case a dialect asks for. */
export function inCase(text: string, nameCase: NameCase): string {
  if (nameCase === 'as_written') return text;
  return nameCase === 'upper' ? text.toUpperCase() : text.toLowerCase();
}

/** Names of all values that a tree writes somewhere; in the answer to one grant, if one is given. */
export function writtenValues(tree: FieldTree, grant?: GrantType): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (field: Field): void => {
    const only = typeof field === 'string' || !('only' in field) ? undefined : field.only;
    if (grant !== undefined && only?.includes(grant) === false) return;
    if (typeof field === 'string') found.add(field);
    else if ('value' in field) found.add(field.value);
    else if ('object' in field) Object.values(field.object).forEach(visit);
    else if ('array' in field) field.array.forEach(visit);
  };
  Object.values(tree).forEach(visit);
  return found;
}
