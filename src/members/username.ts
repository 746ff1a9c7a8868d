// Owns the spelling of usernames: the one form that every way of typing a name leads to.

// Zero-width and joining characters, soft hyphen, BOM: invisible, so no part of a name (HOSTILE 19).
const invisible = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/gu;

/** Compatibility-normalised, lower-case, without surrounding spaces or invisible characters. */
export function normaliseUsername(typed: string): string {
  return typed.normalize('NFKC').replaceAll(invisible, '').trim().toLowerCase().normalize('NFKC');
}
