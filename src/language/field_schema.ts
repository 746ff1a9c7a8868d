// Owns the schemas of a field of an answer, and of a tree of fields.

import * as v from 'valibot';

import { keysAsWritten } from '../lib/document.ts';
import { quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import { key, named, note } from '../schema/notes.ts';
import { listOf, matching, wireNameSchema } from '../schema/scalars.ts';
import {
  allowsFraction,
  allowsZone,
  formatsOf,
  mostFraction,
  valueFormats,
} from './value_format.ts';
import type { Field, FieldTree } from './value_tree.ts';
import { nothing, type Vocabulary } from './vocabularies.ts';

/** JSON readers keep 53 bits of a whole number (RFC 8259 6). */
const exactNumberSchema = v.pipe(
  v.number(),
  v.check(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    'a number this large would change when it is read: write it in quotes, with type: number beside it',
  ),
);

/** RFC 8259 6, of a length that any reader takes. */
const numberText = /^-?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:[eE][+-]?\d{1,2})?$/;

const constantSchema = v.union([v.string(), exactNumberSchema, v.boolean(), v.null()]);

const nameTexts: Readonly<Record<string, string>> = {
  token: 'One of the [named values](#named-values) of token responses and claims.',
  error: 'One of the [named values](#named-values) of error bodies.',
  redirect: 'One of the [named values](#named-values) of redirects.',
};

/** The name of a value in the vocabulary. */
function nameSchemaOf({ answer, values, prefixes }: Vocabulary): v.GenericSchema<unknown, string> {
  const names = [...Object.keys(values), nothing];
  return v.pipe(
    v.string(),
    v.check(
      (text) => names.includes(text) || prefixes.some((prefix) => text.startsWith(prefix)),
      ({ input }) => `${quote(input)} is no value an answer can hold${valueAdvice(input, names)}`,
    ),
    named(`${answer} value`, nameTexts[answer]),
    note({ json: { anyOf: [{ enum: names }, ...prefixes.map(beginningWith)] } }),
  );
}

function isName(input: unknown): boolean {
  return typeof input === 'string' || input === undefined;
}

/** Refuses a constant that stands where the name of a value is expected, and says how it is written. */
const bareConstant: v.GenericSchema<unknown, never> = v.custom<never>(
  () => false,
  ({ input }) => {
    const found = JSON.stringify(input);
    const written = input === null ? nothing : `{ constant: ${found} }`;
    return `${found} is no value an answer can hold; one that is always the same is ${written}`;
  },
);

interface FieldSchemas {
  readonly field: v.GenericSchema<unknown, Field>;
  /** Its output keeps the file's order of members. */
  readonly tree: v.GenericSchema<unknown, FieldTree>;
}

export function fieldSchemasOf(vocabulary: Vocabulary): FieldSchemas {
  const { answer, values, occasions, groups = {} } = vocabulary;
  const name = nameSchemaOf(vocabulary);
  const occasion = v.picklist([...occasions, ...Object.keys(groups)]);
  const spread = v.transform((names: readonly string[]): readonly string[] => [
    ...new Set(names.flatMap((one) => groups[one] ?? [one])),
  ]);
  const only = key(v.exactOptional(v.pipe(listOf(occasion), spread)), {
    text: 'The grants whose answers have this member (G-11). In an error body: the failure reasons.',
    example: '[authorization_code]',
    otherwise: 'every grant, every reason',
  });
  const attribute = key(v.exactOptional(v.boolean()), {
    text: 'In XML: whether the field is an attribute of the element in which it lies, such as `xmlns`. The text beside attributes is a field named `"#text"`.',
    example: 'true',
    otherwise: 'an element of its own',
  });
  const value = v.pipe(
    v.strictObject({
      value: key(name, {
        text: 'The [named value](#named-values) that is written. A plain `name: value` is short for this form without any other key.',
        example: 'access_lifetime',
        otherwise: 'required in this form',
      }),
      as: key(v.exactOptional(v.picklist(valueFormats)), {
        text: 'How a lifetime, a point in time or a scope is written: [formats](#formats).',
        example: 'date_time',
        otherwise: '`seconds`, `epoch` for a point in time, a scope as it was asked for',
      }),
      zone: key(
        v.exactOptional(matching(/^[+-][01]\d:[0-5]\d$/, 'expected a zone such as "+08:00"')),
        {
          text: 'The zone in which a time is written as `date` or one of `date_time…`, the same all year.',
          example: '"+08:00"',
          otherwise: 'UTC',
        },
      ),
      fraction: key(
        v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(mostFraction))),
        {
          text: 'Digits of the fraction of a second that a time has as `date_time`, `date_time_offset`, `date_time_offset_digits` or `date_time_space`: 1 to 9, after a dot. Jetway knows milliseconds, so that further digits are zeros.',
          example: '7',
          otherwise: 'no fraction',
        },
      ),
      type: key(v.exactOptional(v.picklist(['string', 'number'])), {
        text: 'Whether the value is written as a text or as a number. `string` puts a number in quotes (`"1800"`). `number` takes the quotes off a whole number (P-7: `jti`). It keeps all of its digits, also more than most JSON readers keep. Any other text, such as `00123`, `1.0` or a UUID, stays in quotes.',
        example: 'string',
        otherwise: 'numbers as numbers, texts as texts',
      }),
      absent: key(v.exactOptional(v.picklist(['omit', 'nothing'])), {
        text: 'What becomes of a value that the answer does not have. `omit`: the member is left out. `nothing`: it is `null`.',
        example: 'nothing',
        otherwise: '`omit`',
      }),
      attribute,
      only,
    }),
    v.check(
      ({ value: of, as }) => as === undefined || formatsOf(values[of]?.[0] ?? 'text').includes(as),
      'this value cannot be written that way: see "Formats" in docs/programme-reference.md',
    ),
    v.check(
      ({ as, zone }) => zone === undefined || allowsZone(as),
      'only a date or a date_time has a zone: set as to one of them',
    ),
    v.check(
      ({ as, fraction }) => fraction === undefined || allowsFraction(as),
      'only date_time, date_time_offset, date_time_offset_digits and date_time_space have a fraction to choose: set as to one of them',
    ),
  );
  const keys = (): readonly string[] => [...Object.keys(value.entries), ...Object.keys(forms)];
  /** Refuses fields that stand where one field is expected, and says how an object is written. */
  const bareObject = v.custom<never>(
    () => false,
    ({ input }) => {
      const [first = ''] = Object.keys(input as object);
      const written = `an object inside the answer is { object: { ${first}: … } }`;
      return `${quote(first)} is no key of a field; ${didYouMean(first, keys()) ?? written}`;
    },
  );
  const field: v.GenericSchema<unknown, Field> = v.pipe(
    v.lazy((input): v.GenericSchema<unknown, Field> => {
      if (typeof input !== 'object' || input === null) return isName(input) ? name : bareConstant;
      const form = Object.entries(forms).find(([one]) => one in input)?.[1];
      const isEmpty = Object.keys(input).length === 0;
      return form ?? (isEmpty || keys().some((one) => one in input) ? value : bareObject);
    }),
    named(`${answer} field`),
    note({ alternatives: () => [name, value, ...Object.values(forms)] }),
  );
  const fields = v.pipe(v.array(field), v.nonEmpty('expected at least one field'));
  const tree = treeSchemaOf(field);
  const forms: Readonly<Record<string, v.GenericSchema<unknown, Field>>> = {
    constant: v.pipe(
      v.strictObject({
        constant: key(constantSchema, {
          text: 'A value that is always the same: text, number, `true` or `false`. For `null`, write `value: nothing`, since a null in a file removes the key.',
          example: 'bearer',
          otherwise: 'required in this form',
        }),
        type: key(v.exactOptional(v.literal('number')), {
          text: 'The text is a number, and is written without quotes, by all of its characters: `"3600.00"`, or more digits than a number in a file keeps.',
          example: 'number',
          otherwise: 'a text stays in quotes',
        }),
        attribute,
        only,
      }),
      v.check(
        ({ constant, type }) =>
          type === undefined || (typeof constant === 'string' && numberText.test(constant)),
        'type: number is for a text that is a number in JSON, such as "3600.00"',
      ),
    ),
    object: v.strictObject({
      object: key(tree, {
        text: 'An object inside the answer, made of fields (P-7: `token_Information`).',
        example: '{ issued: { value: issued_at, as: date } }',
        otherwise: 'required in this form',
      }),
      only,
    }),
    array: v.strictObject({
      array: key(v.array(field), {
        text: 'An array. Its items are fields without a name.',
        example: '[scope]',
        otherwise: 'required in this form',
      }),
      only,
    }),
    first: v.strictObject({
      first: key(fields, {
        text: 'The first of several fields that there is. With `only`, it is another constant for each grant or reason; otherwise it stands in for a value that is absent.',
        example: '[membership_number, { constant: "" }]',
        otherwise: 'required in this form',
      }),
      attribute,
      only,
    }),
    joined: v.strictObject({
      joined: key(fields, {
        text: 'Several fields in one text, such as an address with a value in it. If one of them is absent, so is the text.',
        example: '[{ constant: "https://api.example/members/" }, subject]',
        otherwise: 'required in this form',
      }),
      attribute,
      only,
    }),
  };
  return { field, tree };
}

function treeSchemaOf(field: v.GenericSchema<unknown, Field>): FieldSchemas['tree'] {
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
  // Maps merge and lists replace: a null in a list has nothing to remove.
  const whole = v.pipe(
    v.array(members),
    v.check((maps) => isEachNamedOnce(maps), 'a name is given twice in this list'),
    v.transform((maps): FieldTree => new Map(maps.flatMap((one) => [...one]))),
  );
  return v.pipe(
    v.lazy((input) => (Array.isArray(input) ? whole : members)),
    note({ alternatives: () => [map, v.array(map)] }),
  );
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
  const meant = didYouMean(name, names);
  if (meant !== undefined) return `; ${meant}`;
  if (/[{}]/.test(name)) return '; texts are put together with joined: [ … ]';
  return `; a text that is always the same is { constant: ${name} }, and the values are ${names.join(', ')}`;
}

function beginningWith(prefix: string): Readonly<Record<string, unknown>> {
  return { type: 'string', pattern: `^${prefix.replaceAll('.', '\\.')}` };
}
