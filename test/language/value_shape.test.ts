// Tests of value shapes: what is generated is what is tested for, and nothing else passes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as v from 'valibot';

import {
  alphabetOf,
  characterClasses,
  compileGenerator,
  compileShape,
  lengthSchema,
  type ValueShape,
} from '../../src/language/value_shape.ts';
import { fc } from '../support/property.ts';

const range = fc
  .tuple(fc.nat(40), fc.nat(40))
  .map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) }));
const shapes: fc.Arbitrary<ValueShape> = fc.record(
  {
    prefix: fc.constantFrom('', 'partnerapi-', 'a.b*', '^$', 'É'),
    characters: fc.constantFrom(...characterClasses),
    length: range,
  },
  { requiredKeys: [] },
);

describe('value shapes', () => {
  test('what is generated fits', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 64 }), (shape, most) => {
        const text = compileGenerator(shape, most)();
        assert.equal(compileShape(shape)(text), true, text);
        const { prefix = '', length } = shape;
        const longest = Math.max(length?.min ?? 0, Math.min(length?.max ?? most, most));
        assert.equal(text.length, prefix.length + longest);
      }),
    );
  });

  test('a text fits exactly when prefix, characters and length do', () => {
    const text = fc.tuple(fc.constantFrom('', 'partnerapi-', 'x'), fc.string({ maxLength: 45 }));
    fc.assert(
      fc.property(shapes, text, ({ prefix = '', characters, length }, [start, end]) => {
        const sent = start + end;
        const rest = sent.slice(prefix.length);
        const fits =
          sent.startsWith(prefix) &&
          rest.length >= (length?.min ?? 0) &&
          rest.length <= (length?.max ?? Infinity) &&
          (characters === undefined ||
            Array.from(rest).every((letter) => alphabetOf(characters).includes(letter)));
        const shape = {
          prefix,
          ...(characters === undefined ? {} : { characters }),
          ...(length === undefined ? {} : { length }),
        };
        assert.equal(compileShape(shape)(sent), fits);
      }),
      { numRuns: 1000 },
    );
  });

  test('the classes', () => {
    const sizes = Object.fromEntries(
      characterClasses.map((name) => [name, alphabetOf(name).length]),
    );
    assert.deepEqual(sizes, {
      digits: 10,
      letters: 52,
      alphanumeric: 62,
      lower_hex: 16,
      upper_hex: 16,
      base64url: 64,
      visible: 94,
      printable: 95,
    });
    for (const name of characterClasses) {
      const fits = compileShape({ characters: name });
      for (const bad of ['\n', 'a\n', '\u0000', '\u007f', 'é', '\u2028']) {
        assert.equal(fits(bad), false, `${name} ${JSON.stringify(bad)}`);
      }
    }
  });

  test('a length is a number or a range', () => {
    const read = (value: unknown) => v.safeParse(lengthSchema, value).output;
    assert.deepEqual(read(5), { min: 5, max: 5 });
    assert.deepEqual(read('5'), { min: 5, max: 5 });
    assert.deepEqual(read('8..20'), { min: 8, max: 20 });
    assert.deepEqual(read('0..0'), { min: 0, max: 0 });
    for (const bad of [
      -1,
      1.5,
      1e6,
      '',
      '8..',
      '..8',
      '20..8',
      '8-20',
      '8...20',
      ' 8',
      'many',
      true,
    ]) {
      assert.equal(v.safeParse(lengthSchema, bad).success, false, String(bad));
    }
  });
});
