// Owns value shapes: what a value looks like, told as prefix, characters and length.

import * as v from 'valibot';

import { randomText } from '../../lib/random.ts';
import { note } from '../../schema/notes.ts';

/**
 * Character classes a file may name. There are no free patterns, so that nothing in a file can
 * make a request slow (HOSTILE 55).
 */
export const characterRanges = {
  digits: '0-9',
  letters: 'A-Za-z',
  alphanumeric: 'A-Za-z0-9',
  lower_hex: '0-9a-f',
  upper_hex: '0-9A-F',
  base64url: 'A-Za-z0-9_-',
  visible: '!-~',
  printable: ' -~',
} as const;

export type CharacterClass = keyof typeof characterRanges;

export const characterClasses: readonly CharacterClass[] = Object.keys(
  characterRanges,
) as CharacterClass[];

/** Fewest and most characters. */
export interface LengthRange {
  readonly min: number;
  readonly max: number;
}

export interface ValueShape {
  readonly prefix?: string;
  readonly characters?: CharacterClass;
  /** Characters after the prefix. */
  readonly length?: LengthRange;
}

const lengthText = /^(\d{1,5})(?:\.\.(\d{1,5}))?$/;

/** `5`, or `8..20`. */
export const lengthSchema: v.GenericSchema<unknown, LengthRange> = v.pipe(
  v.union([v.number(), v.string()]),
  v.check(
    (value) => readLength(value) !== undefined,
    'expected a length such as 5, or a range such as 8..20',
  ),
  v.transform((value) => readLength(value) ?? { min: 0, max: 0 }),
  v.title('length'),
  note({
    json: { type: ['integer', 'string'], minimum: 0, maximum: 99_999, pattern: lengthText.source },
  }),
);

export const characterClassSchema: v.GenericSchema<unknown, CharacterClass> = v.pipe(
  v.picklist(characterClasses),
  v.title('character class'),
);

export const valueShapeSchema: v.GenericSchema<unknown, ValueShape> = v.pipe(
  v.strictObject({
    prefix: v.exactOptional(v.string()),
    characters: v.exactOptional(characterClassSchema),
    length: v.exactOptional(lengthSchema),
  }),
  v.title('value shape'),
);

function readLength(value: number | string): LengthRange | undefined {
  const match = lengthText.exec(String(value));
  if (match === null) return undefined;
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : Number(match[2]);
  return min <= max ? { min, max } : undefined;
}

/** A test for texts of the shape. */
export function compileShape(shape: ValueShape): (text: string) => boolean {
  const { prefix = '', characters, length } = shape;
  const min = length?.min ?? 0;
  const max = length?.max ?? Number.POSITIVE_INFINITY;
  const only =
    characters === undefined ? undefined : new RegExp(`^[${characterRanges[characters]}]*$`);
  return (text) => {
    if (!text.startsWith(prefix)) return false;
    const rest = text.length - prefix.length;
    if (rest < min || rest > max) return false;
    return only === undefined || only.test(prefix === '' ? text : text.slice(prefix.length));
  };
}

/** All characters of a class, for drawing new values from it. */
export function alphabetOf(characters: CharacterClass): string {
  const only = new RegExp(`[${characterRanges[characters]}]`);
  return Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    .filter((character) => only.test(character))
    .join('');
}

/** A maker of random values of the shape, as long as its range allows up to `most` characters. */
export function compileGenerator(shape: ValueShape, most: number): () => string {
  const alphabet = alphabetOf(shape.characters ?? 'alphanumeric');
  const length = Math.max(shape.length?.min ?? 0, Math.min(shape.length?.max ?? most, most));
  const prefix = shape.prefix ?? '';
  return () => prefix + randomText(alphabet, length);
}

/** The shape in words: `"partnerapi-" and 5 digits`. */
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
