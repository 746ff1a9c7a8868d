// Owns reading JSON strictly: UTF-8, one value, no member twice.

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
