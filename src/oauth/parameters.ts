// Owns decoding of parameters: queries, form bodies and JSON bodies, each strictly.

/** Decoded parameters by wire name; a name sent twice holds two values. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** More than a client of any dialect sends; a request with more is not one. */
export const maxParameters = 100;

export const noParameters: Parameters = new Map();

/** A body or query that is not in the form it claims to be. */
export class MalformedParameters extends Error {}

/**
 * Decodes `application/x-www-form-urlencoded` text. Stricter than URLSearchParams, which lets
 * `%zz` and broken UTF-8 pass: what cannot be decoded exactly is refused.
 *
 * @param decode a name or value as it was sent, to its text
 */
export function parseForm(text: string, decode: (part: string) => string = decodePart): Parameters {
  const parameters = new Map<string, string[]>();
  if (text === '') return parameters;
  const pairs = text.split('&', maxParameters + 1);
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

/** No name on the wire holds this. */
const separator = '\u0000';

/** What a JSON member is found under: the objects it lies in, outermost first, and its name. */
export function memberPath(names: readonly string[]): string {
  return names.join(separator);
}

const noObjects: ReadonlySet<string> = new Set();

/**
 * Reads the members of a JSON object. Text and whole numbers become text (an absent-minded client
 * sends `"code": 123456`); null counts as empty. What is nested is refused, except in the members of
 * `objects`, by their paths: those are read by the paths of their own members.
 */
export function parseJsonObject(
  text: string,
  objects: ReadonlySet<string> = noObjects,
): Parameters {
  const value = parseJson(text);
  const paths = memberPaths(text, objects);
  if (paths.length > maxParameters) throw new MalformedParameters('too many parameters');
  const members = new Map<string, unknown>();
  collectMembers(value, '', objects, members);
  const parameters = new Map<string, string[]>();
  for (const path of paths) append(parameters, path, jsonText(members.get(path)));
  return parameters;
}

function collectMembers(
  value: unknown,
  prefix: string,
  objects: ReadonlySet<string>,
  members: Map<string, unknown>,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedParameters('an object was expected');
  }
  for (const [name, member] of Object.entries(value)) {
    const path = prefix + name;
    const isObject = objects.has(path);
    // An object is no parameter itself; that it is there twice must still be seen.
    members.set(path, isObject ? '' : member);
    if (isObject) collectMembers(member, path + separator, objects, members);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new MalformedParameters('the body is not JSON');
  }
}

/**
 * Paths of the members that are read, repeated ones as often as they stand: JSON.parse keeps the
 * last of them silently. The text is known to be JSON by now.
 */
function memberPaths(text: string, objects: ReadonlySet<string>): string[] {
  const paths: string[] = [];
  // What the members of each open object begin with; undefined where they are not read.
  const open: (string | undefined)[] = [];
  let last = '';
  let member: string | undefined = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:]/g)) {
    if (token === '{' || token === '[') {
      const isRead = open.length === 0 || (member !== undefined && objects.has(member));
      const prefix = open.length === 0 ? '' : member + separator;
      open.push(token === '{' && isRead ? prefix : undefined);
      member = undefined;
    } else if (token === '}' || token === ']') open.pop();
    else if (token !== ':') last = token;
    else {
      const prefix = open.at(-1);
      member = prefix === undefined ? undefined : prefix + (JSON.parse(last) as string);
      if (member !== undefined) paths.push(member);
    }
  }
  return paths;
}

function jsonText(member: unknown): string {
  if (typeof member === 'string') return member;
  if (member === null) return '';
  if (typeof member === 'boolean') return String(member);
  if (typeof member === 'number' && Number.isSafeInteger(member)) return String(member);
  throw new MalformedParameters('a member is neither text nor a whole number');
}

function append(parameters: Map<string, string[]>, name: string, value: string): void {
  const values = parameters.get(name);
  if (values === undefined) parameters.set(name, [value]);
  else values.push(value);
}

function decodePart(part: string): string {
  if (!part.includes('%') && !part.includes('+')) return part;
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw new MalformedParameters('a parameter is not percent-encoded UTF-8');
  }
}
