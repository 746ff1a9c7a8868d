// Owns arbitrary answers: trees of named values, constants, objects and arrays, as maps and as lists.

import fc from 'fast-check';

import { grantTypes } from '../../../src/oauth/grant.ts';
import type { Plain, PlainMap } from './dialect.ts';

/** Text without braces, in which an answer's expected text has its names. */
export const words: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...Array.from(' aBz09-_.:/"\\&<é€漢😀')), { minLength: 1, maxLength: 12 })
  .map((letters) => letters.join(''));

const memberName = fc
  .array(fc.constantFrom(...Array.from('abXYz019_-.:!"~$')), { minLength: 1, maxLength: 6 })
  .map((letters) => letters.join(''));

const only = fc.subarray([...grantTypes], { minLength: 1 });

const spanUnits = ['seconds', 'milliseconds', 'minutes'] as const;
const timeUnits = [
  'epoch',
  'epoch_milliseconds',
  'date',
  'date_time',
  'date_time_milliseconds',
  'http_date',
] as const;

function named(names: readonly string[]): fc.Arbitrary<Plain> {
  return fc.constantFrom(...names, 'nothing').chain((value) => {
    const units = value.endsWith('_lifetime') ? spanUnits : timeUnits;
    const hasUnit = value.endsWith('_lifetime') || value.endsWith('_at');
    const options = {
      type: fc.constantFrom('string', 'number'),
      absent: fc.constantFrom('omit', 'nothing'),
      only,
      ...(hasUnit ? { as: fc.constantFrom<string>(...units) } : {}),
    };
    const detailed = fc.record(options, { requiredKeys: [] }).map((more) => ({ value, ...more }));
    return fc.oneof(fc.constant(value), detailed);
  });
}

const constant = fc.record(
  {
    constant: fc.oneof(
      words,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
    ),
    only,
  },
  { requiredKeys: ['constant'] },
);

/** Trees over values of these names; half of them lists, which replace what the variant has. */
export function trees(names: readonly string[]): fc.Arbitrary<Plain> {
  const { map } = fc.letrec<{ map: PlainMap; field: Plain }>((tie) => ({
    map: fc
      .uniqueArray(fc.tuple(memberName, tie('field')), {
        maxLength: 4,
        selector: ([name]) => name.toLowerCase(),
      })
      .map((members) => Object.fromEntries(members)),
    field: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      named(names),
      constant as fc.Arbitrary<Plain>,
      fc.record({ object: tie('map') }),
      fc.record({ object: tie('map').map((inner) => [inner]), only }),
      fc.record({ array: fc.array(tie('field'), { maxLength: 3 }) }),
    ),
  }));
  return fc.oneof(
    map,
    map.map((members) => [members]),
  );
}
