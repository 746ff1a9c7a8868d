// Owns member passwords: the argon2id hashes that are kept of them, and checking against what is
// kept. Which other hashes are understood is password_hash.ts's business.

import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

import { hashing } from './hashing.ts';
import { readHash } from './password_hash.ts';

const deriveArgon2 = promisify(argon2);

/** What one guess costs; `memory` in KiB. */
export interface HashCost {
  readonly memory: number;
  readonly passes: number;
}

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const usualCost: HashCost = { memory: 19_456, passes: 2 };

/** For passwords as random as keys, which no amount of guessing finds. */
export const randomPasswordCost: HashCost = { memory: 64, passes: 1 };

/** Longer than any passphrase; keeps what is hashed bounded. */
export const longestPassword = 1024;

/** A PHC string of the password. */
export async function hashPassword(password: string, cost: HashCost = usualCost): Promise<string> {
  const { memory, passes } = cost;
  const nonce = randomBytes(16);
  const message = normalise(password);
  const tag = await hashing(() =>
    deriveArgon2('argon2id', { message, nonce, memory, passes, parallelism: 1, tagLength: 32 }),
  );
  return `${prefixOf(cost)}${base64(nonce)}$${base64(tag)}`;
}

/** Whether the password is the one the hash was made of; throws where the text is no hash. */
export async function checkPassword(password: string, hash: string): Promise<boolean> {
  const found = readHash(hash);
  if (found === undefined) throw new Error('this is no password hash that is understood');
  return found.check(normalise(password));
}

/** Whether a hash is one that would be made today; others are made anew when their password comes by. */
export function isUpToDate(hash: string): boolean {
  return [usualCost, randomPasswordCost].some((cost) => hash.startsWith(prefixOf(cost)));
}

function prefixOf({ memory, passes }: HashCost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$`;
}

/** RFC 8265 4.2: the same password typed on two keyboards is the same password. */
function normalise(password: string): string {
  return password.normalize('NFC');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
