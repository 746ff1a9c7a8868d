// Owns the arithmetic of password hashes. It holds up the thread it runs in, for some 25 ms or far
// longer: only hashing_worker.ts calls it.

import { argon2Sync, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

import { compareSync } from 'bcryptjs';

import { formatArgon2, type PasswordHash, readHash } from './password_hash.ts';

/** What one guess costs; `memory` in KiB. */
export interface HashCost {
  readonly memory: number;
  readonly passes: number;
}

/** An argon2id hash of a password, with a salt of its own. */
export function makeHash(password: string, { memory, passes }: HashCost): string {
  const settings = { memory, passes, parallelism: 1 };
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { message: password, nonce, ...settings, tagLength: 32 });
  return formatArgon2({ algorithm: 'argon2id', ...settings, salt: nonce, tag });
}

/** Whether the password is the one that the hash was made of; throws where the text is no hash. */
export function isMadeOf(password: string, text: string): boolean {
  const hash = readHash(text);
  if (hash === undefined) throw new Error('this is no password hash that is understood');
  if (hash.scheme === 'bcrypt') return compareSync(password, hash.text);
  return timingSafeEqual(tagOf(password, hash), hash.tag);
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
