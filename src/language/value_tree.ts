// Owns an answer's layout: the ordered tree of named values and constants, and walks through it.

import type { ValueFormat } from './value_format.ts';

export type Scalar = string | number | boolean | null;

/** The grants or failure reasons for which a field is written; all if left out. */
interface Conditional {
  readonly only?: readonly string[];
}

/** A field of one text. */
interface Textual extends Conditional {
  /** Of XML: an attribute of the element that the field lies in. */
  readonly attribute?: boolean;
}

/** A value by name, with its format. */
export interface NamedField extends Textual {
  readonly value: string;
  /** Lifetimes allow seconds, milliseconds or minutes; times and scopes the other formats. */
  readonly as?: ValueFormat;
  /** Of a time: how far its zone is ahead of UTC, `+08:00`. */
  readonly zone?: string;
  /** Of a time: digits of the fraction of a second. */
  readonly fraction?: number;
  /** `string` quotes a number; `number` writes digits without quotes. */
  readonly type?: 'string' | 'number';
  /** `nothing` writes `null` for a missing value, instead of leaving the member out. */
  readonly absent?: 'omit' | 'nothing';
}

export type Field =
  | string
  | NamedField
  | ({
      readonly constant: Scalar;
      /** A text that is written as the number that it is. */
      readonly type?: 'number';
    } & Textual)
  | ({ readonly object: FieldTree } & Conditional)
  | ({ readonly array: readonly Field[] } & Conditional)
  /** The first of these fields that has a value. */
  | ({ readonly first: readonly Field[] } & Textual)
  /** The texts of all these fields, concatenated; absent if one of them is. */
  | ({ readonly joined: readonly Field[] } & Textual);

/** Whether a field is an attribute in XML. */
export function isAttribute(field: Field): boolean {
  return typeof field === 'object' && 'attribute' in field && field.attribute;
}

/** Members in written order. */
export type FieldTree = ReadonlyMap<string, Field>;

export const nameCases = ['as_written', 'lower', 'upper'] as const;
export type NameCase = (typeof nameCases)[number];

/** The fields directly within a field. */
function partsOf(field: Field): readonly Field[] {
  if (typeof field === 'string') return [];
  if ('object' in field) return [...field.object.values()];
  if ('array' in field) return field.array;
  if ('first' in field) return field.first;
  return 'joined' in field ? field.joined : [];
}

/** The fields in a field that are not joined to a text. */
export function apartFromTexts(field: Field): readonly Field[] {
  return typeof field === 'object' && 'joined' in field ? [] : partsOf(field);
}

/** Every field of a tree, at any depth; only fields of `occasion`, if it is given. */
export function* fieldsOf(
  tree: FieldTree,
  occasion?: string,
  partsIn: (field: Field) => readonly Field[] = partsOf,
): Iterable<Field> {
  const pending = [...tree.values()].toReversed();
  for (let field = pending.pop(); field !== undefined; field = pending.pop()) {
    const only = typeof field === 'string' ? undefined : field.only;
    if (occasion !== undefined && only?.includes(occasion) === false) continue;
    yield field;
    pending.push(...partsIn(field).toReversed());
  }
}

/** Names of all values that a tree writes; only on `occasion`, if it is given. */
export function writtenValues(tree: FieldTree, occasion?: string): ReadonlySet<string> {
  return new Set(Array.from(fieldsOf(tree, occasion)).flatMap((field) => valueOf(field) ?? []));
}

/** Values that an answer needs: they have neither a substitute (`first`) nor a written absence. */
export function neededValues(tree: FieldTree, occasion: string): ReadonlySet<string> {
  const certain = (field: Field): readonly Field[] =>
    typeof field === 'object' && 'first' in field && field.first.length > 1 ? [] : partsOf(field);
  const fields = Array.from(fieldsOf(tree, occasion, certain)).filter(
    (field) => typeof field === 'string' || !('absent' in field) || field.absent !== 'nothing',
  );
  return new Set(fields.flatMap((field) => valueOf(field) ?? []));
}

/** The value that a field names. */
export function valueOf(field: Field | undefined): string | undefined {
  if (typeof field === 'string') return field;
  return field !== undefined && 'value' in field ? field.value : undefined;
}

/** A layout of an answer, with what changes how clients read it. */
interface Answer {
  readonly fields: FieldTree;
  readonly encoding: string;
  readonly name_case: NameCase;
  readonly wrap?: readonly string[];
  readonly before?: string;
}

/** The field that clients of JSON find by a name at the top of an answer; undefined if there is none. */
export function fieldAtTop(answer: Answer, name: string, occasion: string): Field | undefined {
  const { encoding, fields, name_case: nameCase, wrap = [], before = '' } = answer;
  if (encoding !== 'json' || wrap.length > 0 || before.trim() !== '') return undefined;
  const member = new Map([...fields].filter(([written]) => inCase(written, nameCase) === name));
  const isChoice = (field: Field): field is Extract<Field, { readonly first: readonly Field[] }> =>
    typeof field === 'object' && 'first' in field;
  const choices = fieldsOf(member, occasion, (field) => (isChoice(field) ? field.first : []));
  return [...choices].find((field) => !isChoice(field));
}

/** The tree in objects of these names, outermost first. */
export function wrapped(tree: FieldTree, names: readonly string[]): FieldTree {
  return names.reduceRight((inner, name) => new Map([[name, { object: inner }]]), tree);
}

export function inCase(text: string, nameCase: NameCase): string {
  if (nameCase === 'as_written') return text;
  return nameCase === 'upper' ? text.toUpperCase() : text.toLowerCase();
}

/** A field and all fields in it. */
export function fieldsWithin(field: Field): Iterable<Field> {
  return fieldsOf(new Map([['', field]]));
}

export function isObject(field: Field): field is Extract<Field, { readonly object: FieldTree }> {
  return typeof field === 'object' && 'object' in field;
}

export function isText(field: Field): boolean {
  return [...fieldsWithin(field)].every(
    (inner) => typeof inner === 'string' || !('object' in inner || 'array' in inner),
  );
}
