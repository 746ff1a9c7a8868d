// Owns the formats that characters and length cannot describe: media ranges, lists of addresses.

import { isIP } from 'node:net';

/** Characters of the longest list that is read; each of its parts costs time (HOSTILE 84). */
const longestList = 4096;

/** What each asks for: in a message, on the page for partners, in a comparison of two versions; and the test. */
export const formatRows = {
  accepts_json: {
    expected: `a list of media types, of at most ${longestList} characters, that lets application/json through`,
    partner: 'must allow `application/json`, if sent',
    demand: 'accepts JSON',
    samples: ['application/json', '*/*'],
    fits: (value: string) => accepts(value, ['*/*', 'application/*', 'application/json']),
  },
  ip_list: {
    expected: `IP addresses with commas between, of at most ${longestList} characters`,
    partner: 'IP addresses with commas between them',
    demand: 'a list of IP addresses',
    samples: ['192.0.2.1', '2001:db8::1'],
    fits: (value: string) =>
      value.length <= longestList && value.split(',').every((part) => isAddress(part.trim())),
  },
} as const;

export type InputFormat = keyof typeof formatRows;
export const inputFormats = Object.keys(formatRows) as readonly InputFormat[];

/** An IPv4 or IPv6 address without zone (HOSTILE 22). */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/**
 * Whether an Accept header accepts a media type (RFC 9110 12.5.1; P-6). One that is too long to be read
 * accepts none.
 *
 * @param ranges the ranges that include the type, the most precise last
 */
export function accepts(header: string, ranges: readonly string[]): boolean {
  return weightOf(header, ranges).quality > 0;
}

/**
 * The place of the type that an Accept header likes best (RFC 9110 12.5.1): of several with the same weight the one
 * that it names most precisely, then the first; -1 if it accepts none of them, or is too long to be read.
 *
 * @param types in lower case, without parameters
 */
export function preferredType(header: string, types: readonly string[]): number {
  let best: Weight = { quality: 0, precision: -1 };
  let place = -1;
  for (const [index, type] of types.entries()) {
    const found = weightOf(header, ['*/*', type.replace(/\/.*/, '/*'), type]);
    const isBetter =
      found.quality > best.quality ||
      (found.quality === best.quality && found.precision > best.precision);
    if (found.quality === 0 || !isBetter) continue;
    [best, place] = [found, index];
  }
  return place;
}

interface Weight {
  /** 0 for what is not accepted, 1 at most. */
  readonly quality: number;
  /** The place of the range that decided it; -1 for none. */
  readonly precision: number;
}

/** The weight of a media type, by the most precise of the ranges that include it. */
function weightOf(header: string, ranges: readonly string[]): Weight {
  let best: Weight = { quality: 0, precision: -1 };
  if (header.length > longestList) return best;
  for (const part of header.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const precision = ranges.indexOf(range);
    if (precision < best.precision || precision < 0) continue;
    const told = parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?)$/.exec(parameter)?.[1] ?? 1);
    best = { quality: Math.min(1, ...told.map(Number)), precision };
  }
  return best;
}
