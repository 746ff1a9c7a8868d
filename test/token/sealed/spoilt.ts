// Owns the ways in which tests spoil a token's text.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Each text with one bit of the token's bytes changed. */
export function* changedBits(text: string): Generator<string> {
  const bytes = Buffer.from(text.slice(1), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield text.slice(0, 1) + changed.toString('base64url');
  }
}

/** Each text with one character replaced by another, of base64url or not, and texts of another case. */
export function* changedCharacters(text: string): Generator<string> {
  const wholly = [text.toUpperCase(), text.toLowerCase(), text.replaceAll('-', '_')];
  yield* wholly.filter((other) => other !== text);
  for (let at = 0; at < text.length; at += 1) {
    for (const other of `${alphabet}+/=. \n\0éŁ`) {
      if (other !== text[at]) yield text.slice(0, at) + other + text.slice(at + 1);
    }
  }
}

/** Other spellings that a lenient decoder takes for the same bytes, and texts of other lengths. */
export function* respellings(text: string): Generator<string> {
  yield '';
  yield* Array.from({ length: text.length - 1 }, (_, index) => text.slice(0, index + 1));
  for (const end of ['A', '=', '==', ' ', '\n', '\0', 'AAAA', '.', '-']) yield text + end;
  for (const start of [' ', '\n', text.slice(0, 1), 'A', '\uFEFF']) yield start + text;
  for (let at = 1; at < text.length; at += 1) {
    yield `${text.slice(0, at)} ${text.slice(at)}`;
    yield `${text.slice(0, at)}=${text.slice(at)}`;
  }
  const respelled = [
    text.replaceAll('-', '+').replaceAll('_', '/'),
    encodeURIComponent(text.replaceAll('-', '+')),
  ];
  yield* respelled.filter((other) => other !== text);
  const idle = ((text.length - 1) * 6) % 8;
  const last = alphabet.indexOf(text.slice(-1));
  for (let bits = 1; bits < 1 << idle; bits += 1) {
    yield text.slice(0, -1) + (alphabet[last ^ bits] ?? '');
  }
}
