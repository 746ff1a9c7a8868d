// Owns the strict decoding of parameters: queries, form bodies and JSON bodies.

import { isJsonObject, type JsonNode, readJson } from '../lib/strict_json.ts';

/** Decoded parameters by wire name; a name sent twice holds two values. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** No client of any dialect sends as many; a request with more is refused. */
export const maxParameters = 100;

/** The same of all values in a JSON body, those that are not read included: each costs time (HOSTILE 84). */
const maxValues = 2000;

export const noParameters: Parameters = new Map();

/** A body or query that cannot be decoded in its declared form. */
export class MalformedParameters extends Error {}

/**
 * Decodes `application/x-www-form-urlencoded` text. Stricter than URLSearchParams, which lets
 * `%zz` and broken UTF-8 pass: what cannot be decoded exactly is refused.
 *
 * @param decode turns a name or value as sent into its text
 */
export function parseForm(text: string, decode: (part: string) => string = decodePart): Parameters {
  const parameters = new Map<string, string[]>();
  // A line break of a value is percent-encoded: this one ends a file, or the line of an old client.
  const form = text.endsWith('\n') ? text.replace(/\r?\n$/, '') : text;
  if (form === '') return parameters;
  const pairs = form.split('&', maxParameters + 1);
  if (pairs.length > maxParameters) throw new MalformedParameters('too many parameters');
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    append(parameters, name, value);
  }
  return parameters;
}

/** The same, without any parameters where the text cannot be decoded. */
export function parseFormOrNone(text: string): Parameters {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof MalformedParameters) return noParameters;
    throw error;
  }
}

/** Half a surrogate pair: no text that is read holds one, so no name can pass for a path (HOSTILE 77, 78). */
export const separator = '\ud800';

/** The path of a member of a body: the names of its objects, outermost first, and its own. */
export function memberPath(names: readonly string[]): string {
  return names.join(separator);
}

/** Paths of members of a JSON body, or of elements of XML. */
export interface BodyPaths {
  /** The members whose values are read; those with a separator can also be lists of texts. */
  readonly values: ReadonlyMap<string, string | undefined>;
  /** The objects whose own members are read. */
  readonly objects: ReadonlySet<string>;
}

/**
 * Reads the members of a JSON object, in the order they were sent. Whole numbers, by all of their digits, and
 * booleans become text (an absent-minded client sends `"code": 123456`); null counts as empty; a list
 * of texts is joined where it can be one. Any other value is refused where it would be read; elsewhere
 * only its name is told, with an empty value.
 */
export function parseJsonObject(text: string, paths: BodyPaths): Parameters {
  const { parameters, add } = collecting();
  collectMembers(parseJson(text), '', paths, add);
  return parameters;
}

function parseJson(text: string): JsonNode {
  try {
    return readJson(text, maxValues);
  } catch (error) {
    throw new MalformedParameters(`the body is refused: ${(error as Error).message}`);
  }
}

function collectMembers(
  node: JsonNode,
  prefix: string,
  paths: BodyPaths,
  add: (path: string, value: string) => void,
): void {
  if (!isJsonObject(node)) throw new MalformedParameters('an object was expected');
  const { values, objects } = paths;
  for (const [name, member] of node.members) {
    const path = prefix + name;
    if (objects.has(path)) {
      // An object is no parameter itself, but one that is sent twice must be noticed.
      add(path, '');
      collectMembers(member, path + separator, paths, add);
    } else add(path, values.has(path) ? jsonText(path, member, values.get(path)) : '');
  }
}

/** Parameters to add to, of which there are not too many. */
export function collecting(): {
  readonly parameters: Parameters;
  readonly add: (path: string, value: string) => void;
} {
  const parameters = new Map<string, string[]>();
  let left = maxParameters;
  const add = (path: string, value: string): void => {
    if (left === 0) throw new MalformedParameters('too many parameters');
    left -= 1;
    append(parameters, path, value);
  };
  return { parameters, add };
}

function jsonText(path: string, member: JsonNode, between?: string): string {
  if (typeof member === 'string') return member;
  if (member === null) return '';
  if (typeof member === 'boolean') return String(member);
  const whole = 'digits' in member ? wholeNumber(member.digits) : undefined;
  if (whole !== undefined) return whole;
  if (between !== undefined && 'items' in member && isTexts(member.items)) {
    return member.items.join(between);
  }
  const name = path.replaceAll(separator, '.');
  throw new MalformedParameters(`${name} is neither text, a whole number, true nor false`);
}

/** By all of its digits; some libraries write `1000` as `1000.0` or `1e3`. */
function wholeNumber(digits: string): string | undefined {
  if (/^-?\d+$/.test(digits)) return digits;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function isTexts(items: readonly JsonNode[]): items is readonly string[] {
  return items.every((item) => typeof item === 'string');
}

function append(parameters: Map<string, string[]>, name: string, value: string): void {
  const values = parameters.get(name);
  if (values === undefined) parameters.set(name, [value]);
  else values.push(value);
}

const [plus, space] = [0x2b, 0x20];

/** Spaces for pluses, byte by byte: a replacement for each costs thirty times as much (HOSTILE 84). */
function withSpaces(text: string): string {
  if (!text.includes('+')) return text;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === plus) bytes[at] = space;
  return bytes.toString();
}

function decodePart(part: string): string {
  if (!part.includes('%') && !part.includes('+')) return part;
  try {
    return decodeURIComponent(withSpaces(part));
  } catch {
    throw new MalformedParameters('a parameter is not percent-encoded UTF-8');
  }
}
