// Tests of places in tokens and claims: each has one spelling.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Place } from '../../../src/oauth/grant.ts';
import { parsePlace, placeText } from '../../../src/oauth/place.ts';
import { placeBytes, readPlace, writePlace } from '../../../src/token/sealed/place.ts';
import { fc } from '../../support/property.ts';

const places = fc.maxSafeNat() as fc.Arbitrary<Place>;
const edges = [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 48, 2 ** 53 - 1] as Place[];

test('bytes and digits of a place are read as that place', () => {
  const bytes = Buffer.alloc(placeBytes + 2, 0xa5);
  fc.assert(
    fc.property(places, (place) => {
      writePlace(bytes, place, 1);
      assert.equal(bytes.toString('hex'), `a5${place.toString(16).padStart(14, '0')}a5`);
      assert.equal(readPlace(bytes, 1), place);
      assert.equal(parsePlace(placeText(place)), place);
    }),
    { examples: edges.map((place) => [place]) },
  );
});

test('seven bytes from 2^53 on are no place', () => {
  for (const hex of ['20000000000000', '20000000000001', '40000000000000', 'ffffffffffffff']) {
    assert.equal(readPlace(Buffer.from(hex, 'hex'), 0), undefined);
  }
});

test('only the digits of a place are its text', () => {
  const others = ['', '01', '+1', '-1', '1.0', '1e3', ' 1', '1 ', '0x1', '9007199254740992', '٣'];
  for (const text of [...others, '9007199254740993', '99999999999999999', 'NaN']) {
    assert.equal(parsePlace(text), undefined, text);
  }
});
