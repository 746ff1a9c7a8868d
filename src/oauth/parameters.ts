// Owns the strict decoding of parameters: queries, form bodies and JSON bodies.

/** Decoded parameters by wire name; a name sent twice holds two values. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** No client of any dialect sends as many; a request with more is refused. */
export const maxParameters = 100;

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

/** The same, without any parameters where the text cannot be decoded. */
export function parseFormOrNone(text: string): Parameters {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof MalformedParameters) return noParameters;
    throw error;
  }
}

/** No name on the wire holds this. */
export const separator = '\u0000';

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
 * Reads the members of a JSON object. Whole numbers and booleans become text (an absent-minded
 * client sends `"code": 123456`); null counts as empty; a list of texts is joined where it can be one.
 * Any other value is refused where it would be read; elsewhere only its name is told, with an empty
 * value.
 */
export function parseJsonObject(text: string, { values, objects }: BodyPaths): Parameters {
  const body = parseJson(text);
  const paths = memberPaths(text, objects);
  if (paths.length > maxParameters) throw new MalformedParameters('too many parameters');
  const members = new Map<string, unknown>();
  collectMembers(body, '', objects, members);
  const parameters = new Map<string, string[]>();
  for (const path of paths) {
    const value = values.has(path) ? jsonText(path, members.get(path), values.get(path)) : '';
    append(parameters, path, value);
  }
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
    // An object is no parameter itself, but one that is sent twice must be noticed.
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
 * Paths of the members that are read, a repeated one several times: JSON.parse keeps the last one
 * silently. The text is known to be JSON.
 */
function memberPaths(text: string, objects: ReadonlySet<string>): string[] {
  const paths: string[] = [];
  // The path of each open object, before its members' names; undefined where they are not read.
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

function jsonText(path: string, member: unknown, between?: string): string {
  if (typeof member === 'string') return member;
  if (between !== undefined && isTexts(member)) return member.join(between);
  if (member === null) return '';
  if (typeof member === 'boolean') return String(member);
  if (typeof member === 'number' && Number.isSafeInteger(member)) return String(member);
  const name = path.replaceAll(separator, '.');
  throw new MalformedParameters(`${name} is neither text, a whole number, true nor false`);
}

function isTexts(member: unknown): member is readonly string[] {
  return Array.isArray(member) && member.every((item) => typeof item === 'string');
}

export function append(parameters: Map<string, string[]>, name: string, value: string): void {
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
