// Owns the small schemas that several parts of a definition share: text, durations, paths.

import * as v from 'valibot';

import type { Milliseconds } from '../lib/clock.ts';
import { durationForm, parseDuration } from '../lib/duration.ts';
import { quote } from '../lib/fault.ts';
import { named } from './notes.ts';

/** A text of one form. */
export function matching(
  form: RegExp,
  message: string | ((issue: { readonly input: string }) => string),
): v.GenericSchema<string, string> {
  return v.pipe(v.string(), v.regex(form, message));
}

/** A whole number in a range. */
export function wholeNumber(least: number, most: number): v.GenericSchema<number, number> {
  return v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
}

export const textSchema = v.pipe(
  v.string(),
  v.nonEmpty('expected some text, found none'),
  v.maxLength(1000, 'expected at most 1000 characters'),
  v.regex(/^\P{Cc}*$/u, 'control characters are not allowed'),
  named('text', 'Text of 1 to 1000 characters without control characters.'),
);

/** A text before a body: of JSON, so that it has one reading in every charset. */
export const openingSchema = v.pipe(
  v.string(),
  v.regex(/^[\t\n\r -_a-~]{1,100}$/, 'expected 1 to 100 characters of ASCII but for `'),
  named(
    'opening',
    'A text of 1 to 100 characters of ASCII but for the backtick, line breaks among them: `")]}\',\\n"`.',
  ),
);

/** A text for bodies, which can hold line breaks; never for headers. */
export const linesSchema = v.pipe(
  v.string(),
  v.nonEmpty('expected some text, found none'),
  v.maxLength(1000, 'expected at most 1000 characters'),
  v.regex(/^[\P{Cc}\t\n\r]*$/u, 'of control characters, tabs and line breaks are allowed'),
  named('lines', 'A text that can hold tabs and line breaks: `"line 1\\r\\nline 2"`.'),
);

/** A list without duplicates: a duplicate is most likely a typing slip. */
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

/** A single value, or a list of at least one. */
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

/** A duration above zero. */
export const lifetimeSchema = v.pipe(
  durationSchema,
  v.check((span) => span >= 1000, 'expected at least 1s'),
  // Ten years: a longer lifetime could end after the last date that JavaScript can represent.
  v.check((span) => span <= 315_360_000_000, 'expected at most 3650d'),
  named('lifetime', 'A duration of at least `1s` and at most `3650d`.'),
);

const withoutDots = v.check<string, string>(
  (path) => !/\/\.{1,2}(?:\/|$)/.test(path),
  'a path may not hold "." or ".." segments',
);

/** A path below a programme's base: starts with `/`, plain segments, no trailing slash. */
export const pathSchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:\/[A-Za-z0-9_.~:@+=-]+)+$/,
    ({ input }) =>
      `expected a path such as /api/grant: segments of letters, digits and -_.~:@+=${pathAdvice(input)}`,
  ),
  withoutDots,
  named(
    'path',
    'One or more segments with `/` before each: letters, digits and `-_.~:@+=`. No closing `/`, no `.` or `..` segments, no percent-encoding.',
  ),
);

function pathAdvice(path: string): string {
  if (/^https?:/.test(path)) return '; without scheme and host, which public_url has';
  if (/%/.test(path)) return '; written as they are, never percent-encoded';
  if (/[{}]/.test(path))
    return '; names in braces are whole segments, of login requests and token endpoints alone';
  if (path.length > 1 && path.endsWith('/')) return '; without a slash at the end';
  return path.startsWith('/') ? '' : '; it begins with a slash';
}

/** A path that another specification defines: what RFC 3986 3.3 has in paths, but stars and percent-encoding. */
export const fixedPathSchema = v.pipe(
  v.string(),
  v.regex(
    /^\/(?:[A-Za-z0-9_.~:@!$&'()+,;=-]+(?:\/[A-Za-z0-9_.~:@!$&'()+,;=-]+)*\/?)?$/,
    ({ input }) =>
      `expected a path such as /api/grant: segments of ${segmentWords}${pathAdvice(input)}`,
  ),
  withoutDots,
  named(
    'fixed path',
    "As a path, but segments may hold `!$&'(),;` too, and a slash may close it or be all of it.",
  ),
);

const segmentWords = `letters, digits and -_.~:@!$&'()+,;=`;

/** As `fixedPathSchema`, with values in it. */
export const endpointPathSchema = v.pipe(
  v.string(),
  v.regex(
    /^\/(?:(?:[A-Za-z0-9_.~:@!$&'()+,;=-]+|\{[A-Za-z][A-Za-z0-9_.-]{0,49}\})(?:\/(?:[A-Za-z0-9_.~:@!$&'()+,;=-]+|\{[A-Za-z][A-Za-z0-9_.-]{0,49}\}))*\/?)?$/,
    ({ input }) =>
      `expected a path such as /api/grant: segments of ${segmentWords}, or names in braces${pathAdvice(input)}`,
  ),
  withoutDots,
  named(
    'endpoint path',
    'As a fixed path; a whole segment may be the name of an [input](#inputs) `in: path` in braces. Its value is one segment of up to 200 letters, digits and `-_.~:@`, as it was sent; anything else is another path.',
  ),
);

/** A programme's base path; `/` mounts it at the root of the host. */
export const basePathSchema = v.union([
  v.pipe(
    v.literal('/'),
    v.transform(() => ''),
  ),
  pathSchema,
]);

export const contentTypeSchema = v.pipe(
  v.string(),
  v.regex(
    /^(?:application\/[a-z0-9.+-]+|text\/(?:plain|json|javascript|xml))(?:; ?charset=(?:utf-8|UTF-8))?$/,
    'expected a media type of text in UTF-8 that no browser shows as a page, such as application/json',
  ),
  named('media type', 'A media type such as `application/json`, with at most one parameter.'),
);

/** A parameter, a header or a member of an answer. */
export const wireNameSchema = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,100}$/, 'expected a name of 1 to 100 visible ASCII characters'),
  named('wire name', 'A name of a parameter or member: 1 to 100 visible ASCII characters.'),
);

export const headerNameSchema = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'expected the name of an HTTP header'),
  named(
    'header name',
    'The name of an HTTP header. Headers that Jetway or the connection sets (`Content-Type`, `Cache-Control`, `Retry-After`, `Allow` and the like) are refused.',
  ),
);

/** Headers that Jetway or the HTTP connection sets: no dialect may. */
const reservedHeaders =
  /^(?:age|allow|cache-control|connection|date|expires|host|keep-alive|location|pragma|retry-after|set-cookie|te|trailer|transfer-encoding|upgrade)$/i;

/** CORS (HOSTILE 11), content ranges and encodings, and headers of the connection. */
const reservedGroups = /^(?:access-control-|content-|proxy-|sec-)/i;

/** A header's name that a dialect may set. */
export const freeHeaderSchema = v.pipe(
  headerNameSchema,
  v.check(isFreeHeader, 'this header is not for a dialect to set'),
);

export function isFreeHeader(name: string): boolean {
  return !reservedHeaders.test(name) && !reservedGroups.test(name);
}

export const headerTextSchema = v.pipe(textSchema, v.regex(/^[ -~]+$/, 'expected ASCII text'));

/** Headers that a dialect adds to Jetway's own; `value` is the schema of their values. */
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

/** Headers with constant values. */
export const answerHeadersSchema = answerHeadersSchemaOf(headerTextSchema);
