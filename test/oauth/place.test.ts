// Tests of places: how they are drawn, and the time that they carry.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import { newPlace, placeAfter } from '../../src/oauth/place.ts';

const now = instant(Date.UTC(2030, 0, 1));

test('places of one millisecond differ, and rise', () => {
  const places = Array.from({ length: 10_000 }, () => newPlace(now));
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    places,
  );
  assert.equal(new Set(places).size, places.length);
});

test('a place tells whether its login began after a time', () => {
  const begun = instant(now + 3_600_000);
  const place = newPlace(begun);
  assert.ok(place >= placeAfter(instant(begun - 1)));
  assert.ok(place < placeAfter(begun));
});

test('FAULTS 11: places follow a clock that was set back', () => {
  const back = instant(now - 86_400_000);
  newPlace(now);
  assert.ok(newPlace(back) < placeAfter(back));
  // A step of seconds too: the login would end with the next clock that is accepted.
  const soon = instant(back - 5000);
  assert.ok(newPlace(soon) < placeAfter(soon));
});

test('a place is an exact number until 2089', () => {
  const last = instant(Date.UTC(2089, 0, 1));
  assert.ok(Number.isSafeInteger(placeAfter(last)));
  assert.ok(placeAfter(last) - 1 < placeAfter(last));
});

test('FAULTS 11: by a clock that was never set, places differ and are no negative numbers', () => {
  const [one, other] = [newPlace(instant(0)), newPlace(instant(1))];
  assert.ok(one >= 0 && other > one);
});
