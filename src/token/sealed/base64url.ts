// Owns reading base64url texts in their one canonical spelling.

/**
 * Decodes the characters of `text` from `from` on to the start of `bytes`, which must have room.
 * Returns the count of bytes; undefined unless encoding them again gives the same text: Node's
 * decoder skips foreign characters, takes `+` and `/`, padding and stray trailing bits.
 */
export function decodeCanonical(text: string, from: number, bytes: Buffer): number | undefined {
  const encoded = text.slice(from);
  const count = bytes.write(encoded, 'base64url');
  return bytes.toString('base64url', 0, count) === encoded ? count : undefined;
}
