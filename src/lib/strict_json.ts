// Owns reading JSON from outside strictly: UTF-8, one value, no member twice; and of an object the members
// that are asked for. Absent is absent. What is there and is not as it must be is refused and never taken
// for absent, null, "" and [] too (HOSTILE 75).

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value of the JSON. Throws without quoting the bytes, which may hold secrets that no log should
 * have: JSON.parse's own message repeats the text around the fault.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const { text, value } = parse(bytes);
  if (repeatsMember(text)) throw new SyntaxError('a member is named twice');
  return value;
}

function parse(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw new SyntaxError('not JSON in UTF-8');
  }
}

/** JSON.parse keeps the last of several members silently. The text is known to be JSON. */
function repeatsMember(text: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ':') last = token;
    else {
      const names = open.at(-1);
      const name = JSON.parse(last) as string;
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
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
