// Owns reading JSON from outside strictly: UTF-8, one value, well-formed texts, no member twice, numbers as they
// were sent; and of an object the members that are asked for. Absent is absent. What is there and is not
// as it must be is refused and never taken for absent, null, "" and [] too (HOSTILE 75).

/** Drops a byte order mark (RFC 8259 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A value as its text has it, not as JSON.parse reads it. */
export type JsonNode = string | boolean | null | JsonNumber | JsonList | JsonObject;

/** As it was sent: JSON.parse rounds `12345678901234567890` and turns `1e400` into Infinity. */
export interface JsonNumber {
  readonly digits: string;
}

export interface JsonList {
  readonly items: JsonNode[];
}

/** In the order of the text, with members that stand there several times: JSON.parse keeps the last. */
export interface JsonObject {
  readonly members: (readonly [name: string, value: JsonNode])[];
}

export function isJsonObject(node: JsonNode): node is JsonObject {
  return typeof node === 'object' && node !== null && 'members' in node;
}

/**
 * The value of the JSON. Throws without quoting the bytes, which may hold secrets that no log should
 * have: JSON.parse's own message repeats the text around the fault. No member may be named twice.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new SyntaxError('not JSON in UTF-8');
  }
  const { objects } = nodesOf(text);
  if (objects.some(({ members }) => new Set(members.map(([name]) => name)).size < members.length)) {
    throw new SyntaxError('a member is named twice');
  }
  return value;
}

/**
 * The nodes of a JSON text; throws without quoting it.
 * @param most values that it may have
 */
export function readJson(text: string, most: number): JsonNode {
  try {
    JSON.parse(text);
  } catch {
    throw new SyntaxError('not JSON');
  }
  return nodesOf(text, most).root;
}

/** A text, a bracket, or a number or word; commas and colons are not needed where the text is JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s",:[\]{}]+/g;

/** @param text known to be JSON; without recursion, since it may nest as deep as it is long */
function nodesOf(
  text: string,
  most = Infinity,
): { readonly root: JsonNode; readonly objects: JsonObject[] } {
  const objects: JsonObject[] = [];
  const open: (JsonList | JsonObject)[] = [];
  let root: JsonNode = null;
  let name: string | undefined;
  let left = most;
  const add = (node: JsonNode): void => {
    if (left === 0) throw new SyntaxError('too many values');
    left -= 1;
    const outer = open.at(-1);
    if (outer === undefined) root = node;
    else if (isJsonObject(outer)) outer.members.push([name ?? '', node]);
    else outer.items.push(node);
    name = undefined;
  };
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      const node: JsonList | JsonObject = token === '{' ? { members: [] } : { items: [] };
      add(node);
      open.push(node);
      if (isJsonObject(node)) objects.push(node);
    } else if (token === '}' || token === ']') open.pop();
    else if (!token.startsWith('"')) add(wordOf(token));
    else {
      const outer = open.at(-1);
      if (name === undefined && outer !== undefined && isJsonObject(outer)) name = textOf(token);
      else add(textOf(token));
    }
  }
  return { root, objects };
}

function wordOf(token: string): JsonNode {
  if (token === 'null') return null;
  return token === 'true' || token === 'false' ? token === 'true' : { digits: token };
}

/** HOSTILE 77: an escape can name half a surrogate pair, which no other encoding can carry (RFC 8259 8.2). */
function textOf(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  const text = JSON.parse(token) as string;
  if (!text.isWellFormed()) throw new SyntaxError('a text in it is not well-formed Unicode');
  return text;
}

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a member must be; `words` say it to people. */
export interface MemberForm<Value> {
  readonly words: string;
  readonly fits: (value: unknown) => value is Value;
}

/** A member that is not as it must be. The message names it and quotes nothing. */
export class MalformedMember extends Error {
  override readonly name = 'MalformedMember';

  constructor(member: string, words: string) {
    super(`${member}: ${words}`);
  }
}

export const text: MemberForm<string> = {
  words: 'a text that is not empty',
  fits: (value): value is string => typeof value === 'string' && value !== '',
};

export const textOrTexts: MemberForm<string | readonly string[]> = {
  words: 'a text that is not empty, or a list of such texts',
  fits: (value): value is string | readonly string[] => text.fits(value) || texts.fits(value),
};

export const texts: MemberForm<readonly string[]> = {
  words: 'a list of texts that are not empty',
  fits: (value): value is readonly string[] =>
    Array.isArray(value) && value.length > 0 && value.every(text.fits),
};

/** Undefined only where the object has no such member. @throws MalformedMember */
export function optionalMember<Value>(
  members: Members,
  name: string,
  form: MemberForm<Value>,
): Value | undefined {
  return Object.hasOwn(members, name) ? neededMember(members, name, form) : undefined;
}

/** @throws MalformedMember also where the object has no such member */
export function neededMember<Value>(
  members: Members,
  name: string,
  { words, fits }: MemberForm<Value>,
): Value {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (fits(value)) return value;
  throw new MalformedMember(name, words);
}
