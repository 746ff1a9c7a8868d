// Owns how V8 holds texts that are kept for a while: in one piece, and in as few bytes as they need. What a
// text says is the same before and after.

/** Whether any character needs two bytes. */
export function isWide(text: string): boolean {
  return /[^\0-\xFF]/.test(text);
}

/**
 * A copy with one byte a character where that is enough. A part of a longer text keeps all of that in memory,
 * and has two bytes a character if any of it needs them, and so has each text that it is joined to: an answer
 * with one such constant is written at half the speed.
 */
export function narrow(text: string): string {
  return isWide(text) ? text : Buffer.from(text, 'latin1').toString('latin1');
}

let seen = 0;

/**
 * The text, joined from its parts. V8 joins them when the text is first read: kept in parts, thousands of
 * texts that wait to be written cost the garbage collector more than they cost to make.
 */
export function joined(text: string): string {
  // V8 leaves out a read whose result nobody needs.
  seen ^= text.charCodeAt(0);
  return text;
}
