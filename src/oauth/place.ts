// Owns places, the numbers of logins: drawing them, and the time they carry.

import type { Instant } from '../lib/clock.ts';
import { randomBytes } from '../lib/random.ts';
import type { Place } from './grant.ts';

/** Milliseconds since then take 41 bits until 2089. */
export const timesBegin: number = Date.parse('2020-01-01T00:00:00Z');
const perMillisecond = 4096;

let last = 0;

/**
 * A new place: random within its millisecond, and counted on from there by this process, for all of
 * its programmes. Another process may have drawn it: a store refuses a place that is taken.
 */
export function newPlace(now: Instant): Place {
  // By a clock that was never set, places count from 0.
  const begun = Math.max(0, now - timesBegin) * perMillisecond;
  // After a clock was set back places follow it: they tell when a login began. Fewer than four million
  // logins begin within a second.
  const isBack = last - begun > 1000 * perMillisecond;
  if (begun > last || isBack) last = begun + (randomBytes(2).readUInt16BE() % perMillisecond);
  else last += 1;
  return last as Place;
}

/** The first place of the millisecond after `now`: every login that began later has it or a higher one. */
export function placeAfter(now: Instant): Place {
  return ((now + 1 - timesBegin) * perMillisecond) as Place;
}

/** When a login of that place began. */
export function beganAt(place: Place): Instant {
  return (Math.floor(place / perMillisecond) + timesBegin) as Instant;
}

/** A place in a claim or digest: its decimal digits. */
export function placeText(place: Place): string {
  return String(place);
}

/** The place that `placeText` wrote; undefined for every other text. */
export function parsePlace(text: string): Place | undefined {
  const place = Number(text);
  const isPlace = Number.isSafeInteger(place) && place >= 0 && String(place) === text;
  return isPlace ? (place as Place) : undefined;
}
