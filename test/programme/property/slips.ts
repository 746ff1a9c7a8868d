// Owns slips of the pen: an entry that stands twice in a list, a word that is misspelt, an input that
// takes less than it did; each somewhere in a whole dialect (HOSTILE 58).

import { inputFormats } from '../../../src/language/input_formats.ts';
import { comparisons } from '../../../src/language/input_schema.ts';
import { characterClasses } from '../../../src/language/value_shape.ts';
import { isMap, type Plain, type PlainMap } from './dialect.ts';

export interface Slip {
  readonly kind: 'scope' | 'list' | 'name' | 'input';
  /** Where, and what of it. */
  readonly what: string;
  readonly dialect: PlainMap;
}

type Place = readonly (string | number)[];

/** Every slip that is looked for in a dialect. */
export function* slipsIn(dialect: PlainMap): Iterable<Slip> {
  for (const [place, value] of placesIn(dialect)) {
    const slip: Make = (kind, what, changed) => ({
      kind: kind === 'list' && place[0] === 'scope' ? 'scope' : kind,
      what: `${place.join('.')}: ${what}`,
      dialect: withValue(dialect, place, changed) as PlainMap,
    });
    if (Array.isArray(value)) yield* listSlips(value as readonly Plain[], slip);
    if (place.at(-1) === 'inputs' && isMap(value)) yield* inputSlips(value, slip);
  }
}

type Make = (kind: Slip['kind'], what: string, changed: Plain) => Slip;

function* listSlips(list: readonly Plain[], slip: Make): Iterable<Slip> {
  for (const [index, entry] of list.entries()) {
    for (const at of new Set([0, index + 1, list.length])) {
      yield slip('list', `entry ${index} again at ${at}`, list.toSpliced(at, 0, entry));
    }
    if (typeof entry !== 'string') continue;
    for (const word of misspelt(entry)) {
      yield slip('list', `${entry} as ${word}`, list.with(index, word));
    }
  }
}

function* inputSlips(inputs: PlainMap, slip: Make): Iterable<Slip> {
  for (const [role, input] of Object.entries(inputs)) {
    for (const word of misspelt(role)) {
      const renamed = Object.entries(inputs).map(([name, one]) => [
        name === role ? word : name,
        one,
      ]);
      yield slip('name', `${role} as ${word}`, Object.fromEntries(renamed) as PlainMap);
    }
    for (const [key, value] of narrowings) {
      const changed = { ...inputs, [role]: { ...(isMap(input) ? input : {}), [key]: value } };
      yield slip('input', `${role}.${key} ${JSON.stringify(value)}`, changed);
    }
  }
}

const narrowings: readonly (readonly [key: string, value: Plain])[] = [
  ...characterClasses.map((name) => ['characters', name] as const),
  ...[1, 5, 42, 43, 54, '1..5', '1..42', '1..50', '44..127', '300..2000'].map(
    (length) => ['length', length] as const,
  ),
  ...inputFormats.map((name) => ['format', name] as const),
  ...comparisons.map((name) => ['must_equal', name] as const),
  ['allowed', []],
  ['allowed', ['x']],
  ['allowed', ['code', 'refresh_token']],
  ['prefix', 'x'],
];

function misspelt(word: string): readonly string[] {
  const swapped = word.replace(/(.)(.)(?=.?$)/, '$2$1');
  return [word.slice(0, -1), `${word}s`, swapped].filter((one) => one !== word && one !== '');
}

/** Every value of a dialect with its place. */
function* placesIn(value: Plain, place: Place = []): Iterable<readonly [Place, Plain]> {
  yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, one] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    yield* placesIn(one as Plain, [...place, key]);
  }
}

/** The value with another one at a place. */
export function withValue(value: Plain, [key, ...rest]: Place, changed: Plain): Plain {
  if (key === undefined) return changed;
  if (Array.isArray(value)) {
    return value.with(Number(key), withValue(value[Number(key)] as Plain, rest, changed)) as Plain;
  }
  const map = value as PlainMap;
  return { ...map, [key]: withValue(map[key] ?? null, rest, changed) };
}
