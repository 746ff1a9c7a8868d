// Owns the small schemas that several parts of a definition share: text, durations, paths.

import * as v from 'valibot';

import type { Milliseconds } from '../lib/clock.ts';
import { durationForm, parseDuration } from '../lib/duration.ts';
import { quote } from '../lib/fault.ts';
import { named } from './notes.ts';

/** Text of at least one character, without control characters. */
export const textSchema = v.pipe(
  v.string(),
  v.nonEmpty('expected some text, found none'),
  v.maxLength(1000, 'expected at most 1000 characters'),
  v.regex(/^\P{Cc}*$/u, 'control characters are not allowed'),
  named('text', 'Text of 1 to 1000 characters without control characters.'),
);

/** A list in which nothing stands twice: of two that are the same, one was to be another. */
export function listOf<Item extends string>(
  item: v.GenericSchema<unknown, Item>,
): v.GenericSchema<unknown, readonly Item[]> {
  return v.pipe(
    v.array(item),
    v.checkItems(
      (value, index, all) => all.indexOf(value) === index,
      ({ input }) => `${quote(input)} stands in this list already`,
    ),
  );
}

/** One, or a list of at least one. */
export function oneOrMore<Item extends string>(
  item: v.GenericSchema<unknown, Item>,
): v.GenericSchema<unknown, readonly Item[]> {
  return v.union([
    v.pipe(
      item,
      v.transform((one): readonly Item[] => [one]),
    ),
    v.pipe(listOf(item), v.nonEmpty('expected at least one')),
  ]);
}

const durationWords =
  'expected a duration: a whole number and a unit (ms, s, m, h, d), such as 30m';

/** A duration such as `90s`, `30m` or `24h`. */
export const durationSchema = v.pipe(
  v.string(({ input }) =>
    typeof input === 'number' ? `${durationWords}; of seconds, ${input}s` : durationWords,
  ),
  v.regex(durationForm, durationWords),
  v.transform((text) => parseDuration(text) ?? (0 as Milliseconds)),
  named(
    'duration',
    'A whole number and a unit: `500ms`, `90s`, `30m`, `24h`, `30d`. One unit, no spaces, no fractions.',
  ),
);

/** A duration that is longer than nothing. */
export const lifetimeSchema = v.pipe(
  durationSchema,
  v.check((span) => span >= 1000, 'expected at least 1s'),
  // Ten years: what lives longer would end on a date that no calendar has.
  v.check((span) => span <= 315_360_000_000, 'expected at most 3650d'),
  named('lifetime', 'A duration of at least `1s` and at most `3650d`.'),
);

/** A path below a programme's base: starts with `/`, plain segments, no trailing slash. */
export const pathSchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:\/[A-Za-z0-9_.~-]+)+$/,
    ({ input }) =>
      `expected a path such as /api/grant: segments of letters, digits, "-", "_", "." and "~"${pathAdvice(input)}`,
  ),
  v.check((path) => !/\/\.{1,2}(?:\/|$)/.test(path), 'a path may not hold "." or ".." segments'),
  named(
    'path',
    'One or more segments with `/` before each: letters, digits, `-`, `_`, `.`, `~`. No closing `/`, no `.` or `..` segments, no percent-encoding.',
  ),
);

/** What is most likely wrong with a path. */
function pathAdvice(path: string): string {
  if (/^https?:/.test(path)) return '; without scheme and host, which public_url has';
  if (/[${}]/.test(path)) return '; nothing is filled in here';
  if (path.length > 1 && path.endsWith('/')) return '; without a slash at the end';
  return path.startsWith('/') ? '' : '; it begins with a slash';
}

/**
 * A path of a document that is somebody else's: as `pathSchema`, but segments may hold a colon or an
 * at sign after their first character, and a slash may close it.
 */
export const endpointPathSchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:\/[A-Za-z0-9_.~-][A-Za-z0-9_.~:@-]*)+\/?$/,
    'expected a path such as /api/grant: segments of letters, digits, "-", "_", ".", "~" and, further on, ":" and "@"',
  ),
  v.check((path) => !/\/\.{1,2}(?:\/|$)/.test(path), 'a path may not hold "." or ".." segments'),
  named(
    'endpoint path',
    'As a path, but segments may hold `:` and `@` further on, and a slash may close it.',
  ),
);

/** Where a programme is mounted: a path, or the root of the host, which has no segment. */
export const basePathSchema = v.union([
  v.pipe(
    v.literal('/'),
    v.transform(() => ''),
  ),
  pathSchema,
]);

/** Media type of an answer. */
export const contentTypeSchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:application\/[a-z0-9.+-]+|text\/(?:plain|json|javascript|xml))(?:; ?charset=(?:utf-8|UTF-8))?$/,
    'expected a media type of text in UTF-8 that no browser shows as a page, such as application/json',
  ),
  named('media type', 'A media type such as `application/json`, with at most one parameter.'),
);

/** A name on the wire: a parameter, a header, a member of an answer. */
export const wireNameSchema = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,100}$/, 'expected a name of 1 to 100 visible ASCII characters'),
  named('wire name', 'A name of a parameter or member: 1 to 100 visible ASCII characters.'),
);

/** An HTTP header's name. */
export const headerNameSchema = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'expected the name of an HTTP header'),
  named(
    'header name',
    'The name of an HTTP header. Headers that Jetway or the connection sets (`Content-Type`, `Cache-Control`, `Retry-After`, `Allow` and the like) are refused.',
  ),
);

/** Headers that are Jetway's or the connection's, not a dialect's. */
const reservedHeaders = new Set([
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expires',
  'host',
  'keep-alive',
  'location',
  'pragma',
  'retry-after',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Cross-origin leave (HOSTILE 11), ranges and encodings of a body, and the connection's own. */
const reservedGroups = /^(?:access-control-|content-|proxy-|sec-)/i;

/** A header's name that is neither Jetway's nor the connection's. */
export const freeHeaderSchema = v.pipe(
  headerNameSchema,
  v.check(isFreeHeader, 'this header is not for a dialect to set'),
);

export function isFreeHeader(name: string): boolean {
  return !reservedHeaders.has(name.toLowerCase()) && !reservedGroups.test(name);
}

/** What a header of a dialect's own says. */
export const headerTextSchema = v.pipe(textSchema, v.regex(/^[ -~]+$/, 'expected ASCII text'));

/** Headers of an answer that a dialect adds to Jetway's own, with values of that schema. */
export function answerHeadersSchemaOf<Value>(
  value: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, Readonly<Record<string, Value>>> {
  return v.pipe(
    v.record(freeHeaderSchema, value),
    v.check((headers) => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      return new Set(names).size === names.length;
    }, 'a header is given twice here: their names are the same in any case'),
  );
}

/** Headers that are always the same. */
export const answerHeadersSchema = answerHeadersSchemaOf(headerTextSchema);
