// Owns making a password hash, which blocks its thread.

import { argon2Sync } from 'node:crypto';

import { randomBytes } from '../lib/random.ts';
import { formatArgon2 } from './password_hash.ts';

/** `memory` is in KiB. */
export interface HashCost {
  readonly memory: number;
  readonly passes: number;
}

/** An argon2id hash with a random salt. */
export function makeHash(password: string, { memory, passes }: HashCost): string {
  const settings = { memory, passes, parallelism: 1 };
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { message: password, nonce, ...settings, tagLength: 32 });
  return formatArgon2({ algorithm: 'argon2id', ...settings, salt: nonce, tag });
}
