// Owns the arithmetic of checking passwords. It holds up the thread it runs in, for some 25 ms or far
// longer: only hashing_worker.ts calls it.

import { argon2Sync, pbkdf2Sync, timingSafeEqual } from 'node:crypto';

import { compareSync } from 'bcryptjs';

import { type PasswordHash, readHash } from './password_hash.ts';

/** Whether the password is the one that the hash was made of; throws where the text is no hash. */
export function isMadeOf(password: string, text: string): boolean {
  const hash = readHash(text);
  if (hash === undefined) throw new Error('this is no password hash that is understood');
  if (hash.scheme === 'bcrypt') return compareSync(password, hash.text) && fitsBcrypt(password);
  return timingSafeEqual(tagOf(password, hash), hash.tag);
}

/** bcrypt's bytes: after them, and after a NUL, it does not tell one password from another. */
const longestForBcrypt = 72;

/** HOSTILE 71: what bcrypt cuts off was not checked, and must not become part of a password that is kept. */
function fitsBcrypt(password: string): boolean {
  return Buffer.byteLength(password) <= longestForBcrypt && !password.includes('\0');
}

function tagOf(password: string, hash: Exclude<PasswordHash, { scheme: 'bcrypt' }>): Buffer {
  const { salt, tag } = hash;
  if (hash.scheme === 'pbkdf2') {
    return pbkdf2Sync(password, salt, hash.iterations, tag.length, hash.algorithm);
  }
  const { algorithm, memory, passes, parallelism } = hash;
  const settings = { memory, passes, parallelism, tagLength: tag.length };
  return argon2Sync(algorithm, { message: password, nonce: salt, ...settings });
}
