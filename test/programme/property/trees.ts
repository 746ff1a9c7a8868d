// Owns arbitrary answers: trees of named values, constants, objects and arrays, as maps and as lists.

import fc from 'fast-check';

import type { Plain, PlainMap } from './dialect.ts';

/** The words of a text. */
export function list(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** A record of which any member may be absent. */
export function partial<T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): ReturnType<
  typeof fc.record<T, never>
> {
  return fc.record<T, never>(members, { requiredKeys: [] });
}

/** Text without braces, in which an answer's expected text has its names. */
export const words: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...Array.from(' aBz09-_.:/"\\&<é€漢😀')), { minLength: 1, maxLength: 12 })
  .map((letters) => letters.join(''));

const memberName = fc
  .array(fc.constantFrom(...Array.from('abXYz019_-.:!"~$')), { minLength: 1, maxLength: 6 })
  .map((letters) => letters.join(''))
  .chain((name) => fc.constantFrom(name, name, name, '7', '12'));

const spanUnits = list('seconds milliseconds minutes');
const timeUnits = list(`
  epoch epoch_milliseconds date date_time date_time_milliseconds date_time_offset
  date_time_space date_time_digits http_date
`);
const scopeUnits = list('spaces commas list');

/** What trees are made of: names of values, and what `only` can name. */
export interface Words {
  readonly names: readonly string[];
  readonly occasions: readonly string[];
}

function unitsOf(value: string): readonly string[] {
  if (value.endsWith('_lifetime')) return spanUnits;
  return value === 'scope' ? scopeUnits : timeUnits;
}

function named({ names, occasions }: Words): fc.Arbitrary<Plain> {
  return fc.constantFrom(...names, 'nothing').chain((value) => {
    const units = unitsOf(value);
    const hasUnit = value === 'scope' || value.endsWith('_lifetime') || value.endsWith('_at');
    const options = {
      type: fc.constantFrom('string', 'number'),
      absent: fc.constantFrom('omit', 'nothing'),
      only: onlyOf(occasions),
      ...(hasUnit ? { as: fc.constantFrom<string>(...units) } : {}),
    };
    const detailed = partial(options).map((more) => ({ value, ...more }));
    return fc.oneof(fc.constant(value), detailed);
  });
}

function onlyOf(occasions: readonly string[]): fc.Arbitrary<readonly string[]> {
  return fc.subarray([...occasions], { minLength: 1 });
}

function constantOf({ occasions }: Words): fc.Arbitrary<Plain> {
  return fc.record(
    {
      constant: fc.oneof(
        words,
        fc.integer(),
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        fc.boolean(),
      ),
      only: onlyOf(occasions),
    },
    { requiredKeys: ['constant'] },
  );
}

/** Fields that are one text: what a form, a header and joined texts are made of. */
export function texts(of: Words): fc.Arbitrary<Plain> {
  // Where a token ends could not be told, were another text joined to it.
  const names = of.names.filter((name) => !/_(?:token|id)$/.test(name));
  const part = fc.oneof(named({ ...of, names }), constantOf(of));
  const parts = fc.array(
    fc.oneof(part, fc.record({ first: fc.array(part, { minLength: 1, maxLength: 3 }) })),
    { minLength: 1, maxLength: 3 },
  );
  const { text } = fc.letrec<{ text: Plain }>((tie) => ({
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      named(of),
      constantOf(of),
      fc.record({ first: fc.array(tie('text'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ joined: parts }),
    ),
  }));
  return text;
}

/** Trees over such values; half of them lists, which replace what the variant has. */
export function trees(of: Words): fc.Arbitrary<Plain> {
  const only = onlyOf(of.occasions);
  const { map } = fc.letrec<{ map: PlainMap; field: Plain }>((tie) => ({
    map: fc
      .uniqueArray(fc.tuple(memberName, tie('field')), {
        maxLength: 4,
        selector: ([name]) => name.toLowerCase(),
      })
      .map((members) => Object.fromEntries(members)),
    field: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      texts(of),
      fc.record({ object: tie('map') }),
      fc.record({ object: tie('map').map((inner) => [inner]), only }),
      fc.record(
        { array: fc.array(tie('field'), { maxLength: 3 }), only },
        { requiredKeys: ['array'] },
      ),
      fc.record({ first: fc.array(tie('field'), { minLength: 1, maxLength: 2 }) }),
    ),
  }));
  return fc.oneof(
    map,
    map.map((members) => [members]),
  );
}
