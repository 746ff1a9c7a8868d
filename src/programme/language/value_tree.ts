// Owns an answer's layout: the ordered tree of named values and constants, and walks through it.

import type { ValueFormat } from './value_format.ts';

export type Scalar = string | number | boolean | null;

/** When a field is written: all grants, or all failure reasons, where it is left out. */
interface Conditional {
  readonly only?: readonly string[];
}

/** A value by name, with how it is written. */
export interface NamedField extends Conditional {
  readonly value: string;
  /** Lifetimes take seconds, milliseconds or minutes, times and scopes the rest of `ValueFormat`. */
  readonly as?: ValueFormat;
  /** `string` puts a number in quotes; `number` writes digits bare. */
  readonly type?: 'string' | 'number';
  /** `nothing` writes `null` where there is no such value, instead of leaving the member out. */
  readonly absent?: 'omit' | 'nothing';
}

export type Field =
  | string
  | NamedField
  | ({ readonly constant: Scalar } & Conditional)
  | ({ readonly object: FieldTree } & Conditional)
  | ({ readonly array: readonly Field[] } & Conditional)
  /** The first of these that there is. */
  | ({ readonly first: readonly Field[] } & Conditional)
  /** The texts of all of these in one; absent where one of them is. */
  | ({ readonly joined: readonly Field[] } & Conditional);

/** Members in the order they are written in. */
export type FieldTree = ReadonlyMap<string, Field>;

/** How the names or texts of an answer are written. */
export const nameCases = ['as_written', 'lower', 'upper'] as const;
export type NameCase = (typeof nameCases)[number];

/** Fields that stand in a field itself. */
function partsOf(field: Field): readonly Field[] {
  if (typeof field === 'string') return [];
  if ('object' in field) return [...field.object.values()];
  if ('array' in field) return field.array;
  if ('first' in field) return field.first;
  return 'joined' in field ? field.joined : [];
}

/** Every field of a tree, at any depth; those of one occasion, where one is given. */
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

/** Names of all values that a tree writes somewhere; on one occasion, if one is given. */
export function writtenValues(tree: FieldTree, occasion?: string): ReadonlySet<string> {
  return new Set(Array.from(fieldsOf(tree, occasion)).flatMap((field) => valueOf(field) ?? []));
}

/**
 * Names of the values without which an answer of that occasion is not whole: not those that another
 * can stand in for, nor those whose absence is written.
 */
export function neededValues(tree: FieldTree, occasion: string): ReadonlySet<string> {
  const certain = (field: Field): readonly Field[] =>
    typeof field === 'object' && 'first' in field && field.first.length > 1 ? [] : partsOf(field);
  const fields = Array.from(fieldsOf(tree, occasion, certain)).filter(
    (field) => typeof field === 'string' || !('absent' in field) || field.absent !== 'nothing',
  );
  return new Set(fields.flatMap((field) => valueOf(field) ?? []));
}

function valueOf(field: Field): string | undefined {
  if (typeof field === 'string') return field;
  return 'value' in field ? field.value : undefined;
}

/** Wire names and texts in the case a dialect asks for. */
export function inCase(text: string, nameCase: NameCase): string {
  if (nameCase === 'as_written') return text;
  return nameCase === 'upper' ? text.toUpperCase() : text.toLowerCase();
}
