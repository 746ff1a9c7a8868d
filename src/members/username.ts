// Owns the normal form of usernames.

/** Longer than any name people type; bounds the keys of look-ups. */
export const longestUsername = 200;

// Zero-width and joining characters, soft hyphen, marks of direction, BOM, line separators: invisible,
// so no part of a name (HOSTILE 19; Unicode's Default_Ignorable_Code_Point).
const invisible = /[\p{DI}\u2028\u2029]/gu;

/** Compatibility-normalised, lower-case, without surrounding spaces or invisible characters. */
export function normaliseUsername(typed: string): string {
  return typed.normalize('NFKC').replaceAll(invisible, '').trim().toLowerCase().normalize('NFKC');
}

/** As typed, without invisible characters: for directories with their own rules for names. */
export function visibleUsername(typed: string): string {
  return typed.normalize('NFC').replaceAll(invisible, '').trim();
}
