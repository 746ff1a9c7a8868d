// Owns value shapes: the prefix, characters and length of a value.

import * as v from 'valibot';

import { derivedText, randomText } from '../lib/random.ts';
import { countOf, describeText, type RulePath } from '../oauth/cause.ts';
import { key, named, note, type Output } from '../schema/notes.ts';

/**
 * Character classes for files, with their words for operators and for partners. Free patterns could make
 * requests slow (HOSTILE 55).
 */
export const characterRanges = {
  digits: ['0-9', 'decimal digits', 'digits'],
  letters: ['A-Za-z', 'ASCII letters', 'letters'],
  alphanumeric: ['A-Za-z0-9', 'ASCII letters and digits', 'letters and digits'],
  lower_hex: ['0-9a-f', 'hexadecimal digits in lower case', 'hexadecimal digits in lower case'],
  upper_hex: ['0-9A-F', 'hexadecimal digits in upper case', 'hexadecimal digits in upper case'],
  base64url: [
    'A-Za-z0-9_-',
    'the alphabet of base64url (RFC 4648 5)',
    'letters, digits, `-` and `_`',
  ],
  visible: ['!-~', 'ASCII without space and controls', 'ASCII characters without spaces'],
  printable: [' -~', 'ASCII with space, without controls', 'ASCII characters'],
} as const;

export type CharacterClass = keyof typeof characterRanges;
export const characterClasses = Object.keys(characterRanges) as readonly CharacterClass[];

interface LengthRange {
  readonly min: number;
  readonly max: number;
}

const lengthText = /^(\d{1,5})(?:\.\.(\d{1,5}))?$/;

/** The length of a generated identifier whose shape allows several lengths. */
export const usualIdentifierLength = 16;
/** The length of a generated code or token whose shape allows several lengths. */
export const usualCodeLength = 64;

export const lengthSchema = v.pipe(
  v.union([v.number(), v.string()]),
  v.check(
    (value) => readLength(value) !== undefined,
    'expected a length such as 5, or a range such as 8..20',
  ),
  v.transform((value) => readLength(value) ?? { min: 0, max: 0 }),
  named(
    'length',
    'A number of characters, `5`, or the fewest and the most, `8..20`. A prefix does not count.',
  ),
  note({
    json: { type: ['integer', 'string'], minimum: 0, maximum: 99_999, pattern: lengthText.source },
  }),
);

export const characterClassSchema = v.pipe(
  v.picklist(characterClasses),
  named('character class', 'One of the [character classes](#character-classes).'),
);

export const valueShapeSchema = v.pipe(
  v.strictObject({
    prefix: key(v.exactOptional(v.string()), {
      text: 'What the value begins with.',
      example: 'hh-',
      otherwise: 'nothing in particular',
    }),
    characters: key(v.exactOptional(characterClassSchema), {
      text: 'What the rest is made of. New values are drawn from it.',
      example: 'alphanumeric',
      otherwise: 'any characters; new values are `alphanumeric`',
    }),
    length: key(v.exactOptional(lengthSchema), {
      text: 'Number of characters after the prefix. If it is a range, new identifiers have up to 16.',
      example: '8..20',
      otherwise: 'any; new identifiers have 16',
    }),
  }),
  named('value shape'),
);
export type ValueShape = Output<typeof valueShapeSchema>;

function readLength(value: number | string): LengthRange | undefined {
  const match = lengthText.exec(String(value));
  if (match === null) return undefined;
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : Number(match[2]);
  return min <= max ? { min, max } : undefined;
}

/** One thing that is asked of a text. */
export interface ValueTest {
  /** The key of the file that asks it. */
  readonly key: string;
  /** The key of the programme, if it is none of the endpoint. */
  readonly rule?: RulePath;
  readonly expected: string;
  /** What came instead, described and not repeated; undefined for a text that passes. */
  readonly came: (text: string) => string | undefined;
}

/** Which key of a shape a text does not fit, what it expects, and what came. */
export interface Misfit {
  readonly key: string;
  readonly expected: string;
  readonly came: string;
}

/** What a shape asks of a text. The later tests take it that those before have passed. */
export function* shapeTests(shape: ValueShape): Iterable<ValueTest> {
  const { prefix = '', characters, length } = shape;
  if (prefix !== '') {
    yield {
      key: 'prefix',
      expected: `"${prefix}" at the start`,
      came: (text) => (text.startsWith(prefix) ? undefined : describeText(text)),
    };
  }
  if (length !== undefined) {
    const { min, max } = length;
    const [least, most] = [min + prefix.length, max + prefix.length];
    yield {
      key: 'length',
      expected: `${describeShape({ length })}${prefix === '' ? '' : ' after the prefix'}`,
      came: (text) =>
        text.length < least || text.length > most
          ? describeText(text.slice(prefix.length))
          : undefined,
    };
  }
  if (characters === undefined) return;
  const [ranges, words] = characterRanges[characters];
  const others = new RegExp(`[^${ranges}]`);
  yield {
    key: 'characters',
    expected: words,
    came: (text) => {
      const rest = prefix === '' ? text : text.slice(prefix.length);
      const odd = rest.search(others);
      if (odd < 0) return undefined;
      const shown = /[!-~]/.test(rest.charAt(odd)) ? `"${rest.charAt(odd)}"` : 'no visible ASCII';
      const place = `number ${odd + 1} of ${countOf(rest.length, 'character')} is ${shown}`;
      return `${place}, which the class ${characters} does not have`;
    },
  };
}

/** A test of texts; undefined for a text that fits. */
export function compileMisfit(shape: ValueShape): (text: string) => Misfit | undefined {
  const tests = [...shapeTests(shape)];
  return (text) => {
    for (const { key: at, expected, came: test } of tests) {
      const came = test(text);
      if (came !== undefined) return { key: at, expected, came };
    }
    return undefined;
  };
}

export function compileShape(shape: ValueShape): (text: string) => boolean {
  const misfit = compileMisfit(shape);
  return (text) => misfit(text) === undefined;
}

/** All characters of a class, for drawing random values. */
export function alphabetOf(characters: CharacterClass): string {
  const only = new RegExp(`[${characterRanges[characters][0]}]`);
  return Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    .filter((character) => only.test(character))
    .join('');
}

/**
 * A generator of random values of the shape, as long as the shape allows, up to `most` characters.
 */
export function compileGenerator(shape: ValueShape, most: number): () => string {
  const { alphabet, length, prefix } = drawing(shape, most);
  return () => prefix + randomText(alphabet, length);
}

/** A maker of values of the shape that each follow from a seed alone. */
export function compileDeriver(shape: ValueShape, most: number): (seed: string) => string {
  const { alphabet, length, prefix } = drawing(shape, most);
  return (seed) => prefix + derivedText(alphabet, length, seed);
}

/** How a value of a shape is drawn: `length` characters of the alphabet, which the class has, after the prefix. */
interface Drawing extends Required<Pick<ValueShape, 'prefix' | 'characters'>> {
  readonly alphabet: string;
  readonly length: number;
}

/** As long as the shape allows, up to `most` characters. */
export function drawing(
  {
    prefix = '',
    characters = 'alphanumeric',
    length: { min, max } = { min: 0, max: Infinity },
  }: ValueShape,
  most: number,
): Drawing {
  const length = Math.max(min, Math.min(max, most));
  return { prefix, characters, alphabet: alphabetOf(characters), length };
}

export function describeShape(shape: ValueShape): string {
  const { prefix, characters, length } = shape;
  const what = (characters ?? 'characters').replaceAll('_', ' ');
  const count =
    length === undefined
      ? ''
      : `${length.min === length.max ? length.min : `${length.min} to ${length.max}`} `;
  const rest = `${count}${what}`;
  return prefix === undefined || prefix === '' ? rest : `"${prefix}" and ${rest}`;
}

/** Whether some text of the first shape, with the characters `also` besides its class, is none of the second. */
export function isNarrower(
  before: ValueShape & { readonly also?: string },
  after: ValueShape,
): boolean {
  const [was = '', is = ''] = [before.prefix, after.prefix];
  if (!was.startsWith(is)) return true;
  const [least, most] = lengthsOf(before);
  const [nowLeast, nowMost] = lengthsOf(after);
  if (least < nowLeast || most > nowMost) return true;
  if (after.characters === undefined) return false;
  if (before.characters === undefined) return true;
  const alphabet = new Set(alphabetOf(after.characters));
  const written = was.slice(is.length) + alphabetOf(before.characters) + (before.also ?? '');
  return Array.from(written).some((character) => !alphabet.has(character));
}

/** The fewest and the most characters, with the prefix. */
function lengthsOf({ prefix = '', length }: ValueShape): readonly [number, number] {
  return [prefix.length + (length?.min ?? 0), prefix.length + (length?.max ?? Infinity)];
}
