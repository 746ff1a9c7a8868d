// Owns member passwords: argon2id digests as PHC strings, and checking against them.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

import { hashing } from './hashing.ts';

const argon2Now = promisify(argon2);

const deriveArgon2: typeof argon2Now = (...given) => hashing(() => argon2Now(...given));

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

const phcForm =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A PHC string of the password. */
export async function hashPassword(password: string, cost: HashCost = usualCost): Promise<string> {
  const { memory, passes } = cost;
  const nonce = randomBytes(16);
  const message = normalise(password);
  const tag = await deriveArgon2('argon2id', {
    message,
    nonce,
    memory,
    passes,
    parallelism: 1,
    tagLength: 32,
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${base64(nonce)}$${base64(tag)}`;
}

/** Whether the password is the one the PHC string was made of. */
export async function checkPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = phcForm.exec(phc) ?? [];
  if (nonce === undefined || tag === undefined) throw new Error('not an argon2id PHC string');
  const expected = Buffer.from(tag, 'base64');
  const actual = await deriveArgon2('argon2id', {
    message: normalise(password),
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/** RFC 8265 4.2: the same password typed on two keyboards is the same password. */
function normalise(password: string): string {
  return password.normalize('NFC');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
