// Owns member passwords: argon2id digests as PHC strings, and checking against them.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const deriveArgon2 = promisify(argon2);

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** Longer than any passphrase; keeps what is hashed bounded. */
export const longestPassword = 1024;

const phcForm =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await deriveArgon2('argon2id', { message: normalise(password), nonce, ...cost });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`;
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
