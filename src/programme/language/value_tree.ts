// Owns what a file may say of an answer's layout: the ordered tree of named values and constants.

import * as v from 'valibot';

import { keysAsWritten } from '../../lib/document.ts';
import { quote } from '../../lib/fault.ts';
import { suggest } from '../../lib/suggest.ts';
import { note } from '../../schema/notes.ts';
import { listOf, wireNameSchema } from '../../schema/scalars.ts';
import { formatFits, type ValueFormat, valueFormats, type ValueKind } from './value_format.ts';

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
export const nothing = 'nothing';

/** What an answer can be made of. */
export interface Vocabulary {
  /** What it is: `token` or `error`. */
  readonly answer: string;
  /** The values, and what each is. */
  readonly kinds: Readonly<Record<string, ValueKind>>;
  /** Values whose names begin so are free. */
  readonly prefixes: readonly string[];
  /** What `only` can name. */
  readonly occasions: readonly string[];
}

/** JSON's readers and ours keep 53 bits of a whole number (RFC 8259 6). */
const exactNumberSchema = v.pipe(
  v.number(),
  v.check(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    'a number this large would change when it is read: write it in quotes',
  ),
);

/** A value by name, of those that such an answer can hold. */
function nameSchemaOf({ answer, kinds, prefixes }: Vocabulary): v.GenericSchema<unknown, string> {
  const names = [...Object.keys(kinds), nothing];
  return v.pipe(
    v.string(),
    v.check(
      (text) => names.includes(text) || prefixes.some((prefix) => text.startsWith(prefix)),
      ({ input }) => `${quote(input)} is no value an answer can hold${valueAdvice(input, names)}`,
    ),
    v.title(`${answer} value`),
    note({ json: { anyOf: [{ enum: names }, ...prefixes.map(beginningWith)] } }),
  );
}

interface FieldSchemas {
  readonly field: v.GenericSchema<unknown, Field>;
  /** Its output keeps the members in the file's order. */
  readonly tree: v.GenericSchema<unknown, FieldTree>;
}

/** The schemas of fields, and trees of them, that can hold such values. */
export function fieldSchemasOf(vocabulary: Vocabulary): FieldSchemas {
  const { answer, kinds, occasions } = vocabulary;
  const name = nameSchemaOf(vocabulary);
  const only = v.exactOptional(listOf(v.picklist(occasions)));
  const named = v.pipe(
    v.strictObject({
      value: name,
      as: v.exactOptional(v.picklist(valueFormats)),
      type: v.exactOptional(v.picklist(['string', 'number'])),
      absent: v.exactOptional(v.picklist(['omit', 'nothing'])),
      only,
    }),
    v.check(
      (field) => field.as === undefined || formatFits(kinds[field.value] ?? 'text', field.as),
      'this value cannot be written that way: see "Formats" in docs/programme-reference.md',
    ),
  );
  const constant = v.strictObject({
    constant: v.union([v.string(), exactNumberSchema, v.boolean(), v.null()]),
    only,
  });
  const forms = (): Readonly<Record<string, v.GenericSchema<unknown, Field>>> => ({
    constant,
    object,
    array,
    first,
    joined,
  });
  const field: v.GenericSchema<unknown, Field> = v.pipe(
    v.lazy((input): v.GenericSchema<unknown, Field> => {
      if (typeof input !== 'object' || input === null) return name;
      return Object.entries(forms()).find(([form]) => form in input)?.[1] ?? named;
    }),
    v.title(`${answer} field`),
    note({ alternatives: () => [name, named, ...Object.values(forms())] }),
  );
  const fields = v.pipe(v.array(field), v.nonEmpty('expected at least one field'));
  const { tree, object } = treeSchemas(field, only);
  const array = v.strictObject({ array: v.array(field), only });
  const first = v.strictObject({ first: fields, only });
  const joined = v.strictObject({ joined: fields, only });
  return { field, tree };
}

type OnlySchema = v.ExactOptionalSchema<v.GenericSchema<unknown, readonly string[]>, undefined>;

/** Maps of fields, and the object that is one. */
function treeSchemas(
  field: v.GenericSchema<unknown, Field>,
  only: OnlySchema,
): {
  readonly tree: v.GenericSchema<unknown, FieldTree>;
  readonly object: v.GenericSchema<unknown, Field>;
} {
  const map: v.GenericSchema<unknown, Readonly<Record<string, Field>>> = v.record(
    wireNameSchema,
    field,
  );
  const members: v.GenericSchema<unknown, FieldTree> = v.pipe(
    v.lazy((input) =>
      v.pipe(
        map,
        v.transform((output) => inOrder(input, output)),
      ),
    ),
    note({ alternatives: () => [map] }),
  );
  // Maps merge and lists replace, so a list says what there is, in which order, and nothing else.
  const whole = v.pipe(
    v.array(members),
    v.check((maps) => isEachNamedOnce(maps), 'a name is given twice in this list'),
    v.transform((maps): FieldTree => new Map(maps.flatMap((one) => [...one]))),
  );
  const tree: v.GenericSchema<unknown, FieldTree> = v.pipe(
    v.lazy((input) => (Array.isArray(input) ? whole : members)),
    note({ alternatives: () => [map, v.array(map)] }),
  );
  return { tree, object: v.strictObject({ object: tree, only }) };
}

function inOrder(input: unknown, output: Readonly<Record<string, Field>>): FieldTree {
  const names = typeof input === 'object' && input !== null ? keysAsWritten(input) : [];
  return new Map(
    names.flatMap((name) => {
      const field = output[name];
      return field === undefined ? [] : [[name, field] as const];
    }),
  );
}

function isEachNamedOnce(maps: readonly FieldTree[]): boolean {
  const names = maps.flatMap((map) => [...map.keys()]);
  return new Set(names).size === names.length;
}

function valueAdvice(name: string, names: readonly string[]): string {
  const near = suggest(name, names);
  if (near !== undefined) return `; did you mean "${near}"?`;
  if (/[{}]/.test(name)) return '; texts are put together with joined: [ … ]';
  return `; a text that is always the same is { constant: ${name} }, and the values are ${names.join(', ')}`;
}

function beginningWith(prefix: string): Readonly<Record<string, unknown>> {
  return { type: 'string', pattern: `^${prefix.replaceAll('.', '\\.')}` };
}

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
