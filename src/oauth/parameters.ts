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
 */
export function parseForm(text: string): Parameters {
  const parameters = new Map<string, string[]>();
  if (text === '') return parameters;
  const pairs = text.split('&', maxParameters + 1);
  if (pairs.length > maxParameters) throw new MalformedParameters('too many parameters');
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodePart(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodePart(pair.slice(equals + 1));
    append(parameters, name, value);
  }
  return parameters;
}

/**
 * Reads the members of a JSON object. Text and whole numbers become text (an absent-minded client
 * sends `"code": 123456`); null counts as empty; anything nested is refused.
 */
export function parseJsonObject(text: string): Parameters {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedParameters('the body is not a JSON object');
  }
  const names = memberNames(text);
  if (names.length > maxParameters) throw new MalformedParameters('too many parameters');
  const members = new Map(Object.entries(value));
  const parameters = new Map<string, string[]>();
  for (const name of names) append(parameters, name, jsonText(name, members.get(name)));
  return parameters;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new MalformedParameters('the body is not JSON');
  }
}

/**
 * Names of the outermost object's members, repeated ones as often as they stand: JSON.parse keeps
 * the last of them silently. The text is known to be JSON by now.
 */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token !== ':') last = token;
    else if (depth === 1) names.push(JSON.parse(last) as string);
  }
  return names;
}

function jsonText(name: string, member: unknown): string {
  if (typeof member === 'string') return member;
  if (member === null) return '';
  if (typeof member === 'boolean') return String(member);
  if (typeof member === 'number' && Number.isSafeInteger(member)) return String(member);
  throw new MalformedParameters(`"${name}" is neither text nor a whole number`);
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
