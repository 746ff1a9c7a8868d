// Owns the spelling of usernames: the one form that every way of typing a name leads to.

/** Longer than any name people type; keeps what is looked up bounded. */
export const longestUsername = 200;

// Zero-width and joining characters, soft hyphen, marks of direction, BOM, line separators: they do
// not show, so they are no part of a name (HOSTILE 19; Unicode's Default_Ignorable_Code_Point).
const invisible = /[\p{DI}\u2028\u2029]/gu;

/** Compatibility-normalised, lower-case, without surrounding spaces or invisible characters. */
export function normaliseUsername(typed: string): string {
  return typed.normalize('NFKC').replaceAll(invisible, '').trim().toLowerCase().normalize('NFKC');
}

/** As it was typed, but for what does not show: for directories with rules of their own for names. */
export function visibleUsername(typed: string): string {
  return typed.normalize('NFC').replaceAll(invisible, '').trim();
}
