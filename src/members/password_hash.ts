// Owns the forms of password hashes that are understood: ours, and those that members bring from
// elsewhere. Which of them are made is password.ts's business.

import { argon2, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

import { compareBcrypt } from './bcrypt.ts';
import { hashing } from './hashing.ts';

const deriveArgon2 = promisify(argon2);
const derivePbkdf2 = promisify(pbkdf2);

export const hashSchemes = ['argon2', 'bcrypt', 'pbkdf2'] as const;
export type HashScheme = (typeof hashSchemes)[number];

/** A hash that was read. */
export interface PasswordHash {
  readonly scheme: HashScheme;
  /** Whether a password is the one it was made of. Rejects with `Unavailable` when too many wait. */
  readonly check: (password: string) => Promise<boolean>;
}

/** The hash that a text is, or undefined when it is none, or one that costs too much to check. */
export function readHash(text: string): PasswordHash | undefined {
  return readArgon2(text) ?? readBcrypt(text) ?? readPbkdf2(text);
}

const argon2Form =
  /^\$(argon2id|argon2i|argon2d)\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,172})$/;

/** PHC strings, as the reference implementation writes them; at most 256 MiB and 16 passes. */
function readArgon2(text: string): PasswordHash | undefined {
  const [, algorithm, m, t, p, salt, tag] = argon2Form.exec(text) ?? [];
  if (salt === undefined || tag === undefined) return undefined;
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)];
  const fits = memory <= 262_144 && memory >= 8 * parallelism && within(passes, 1, 16);
  if (!fits || !within(parallelism, 1, 16)) return undefined;
  const expected = Buffer.from(tag, 'base64');
  const options = {
    nonce: Buffer.from(salt, 'base64'),
    memory,
    passes,
    parallelism,
    tagLength: expected.length,
  };
  return {
    scheme: 'argon2',
    check: async (message) =>
      same(
        await hashing(() =>
          deriveArgon2(algorithm as 'argon2id', { ...options, message: Buffer.from(message) }),
        ),
        expected,
      ),
  };
}

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** `$2a$`, `$2b$` and `$2y$`, the same for passwords people type; a cost of 14 takes a second. */
function readBcrypt(text: string): PasswordHash | undefined {
  const [, cost = ''] = bcryptForm.exec(text) ?? [];
  if (!within(Number(cost || '0'), 4, 14)) return undefined;
  return { scheme: 'bcrypt', check: (password) => hashing(() => compareBcrypt(password, text)) };
}

/** Django's `pbkdf2_sha256$260000$salt$hash`, where the salt is text. */
const djangoForm = /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,8})\$([!-#%-~]{1,128})\$([A-Za-z0-9+/=]+)$/;
/** PHC's `$pbkdf2-sha256$i=29000,l=32$salt$hash`, and passlib's, with `.` for `+` and no `i=`. */
const phcForm =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,8})(?:,l=\d{1,3})?\$([A-Za-z0-9+./]{1,172})\$([A-Za-z0-9+./]+)$/;

function readPbkdf2(text: string): PasswordHash | undefined {
  const django = djangoForm.exec(text);
  const [, algorithm = 'sha1', count = '', salt = '', tag = ''] =
    django ?? phcForm.exec(text) ?? [];
  const iterations = Number(count);
  const expected = decode(tag);
  if (!within(iterations, 1000, 10_000_000) || !within(expected.length, 16, 64)) return undefined;
  const nonce = django === null ? decode(salt) : Buffer.from(salt);
  return {
    scheme: 'pbkdf2',
    check: async (password) =>
      same(
        await hashing(() => derivePbkdf2(password, nonce, iterations, expected.length, algorithm)),
        expected,
      ),
  };
}

function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64');
}

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function same(actual: Buffer, expected: Buffer): boolean {
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
