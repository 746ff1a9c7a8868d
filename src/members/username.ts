// Owns the normal form of usernames.

/** Longer than typed names; bounds the keys of look-ups. */
export const longestUsername = 200;

// Zero-width and joining characters, soft hyphen, direction marks, BOM, line separators: invisible,
// so removed (HOSTILE 19; Unicode's Default_Ignorable_Code_Point).
const invisible = /[\p{DI}\u2028\u2029]/gu;

/** Compatibility-normalised, lower-case, without surrounding spaces or invisible characters. */
export function normaliseUsername(typed: string): string {
  return typed.normalize('NFKC').replaceAll(invisible, '').trim().toLowerCase().normalize('NFKC');
}

/** As typed, without invisible characters: for directories with their own rules for names. */
export function visibleUsername(typed: string): string {
  return typed.normalize('NFC').replaceAll(invisible, '').trim();
}
