// Owns the forms of password hashes that Jetway can check: its own and imported ones. password.ts
// makes hashes; hashing_worker.ts computes them.

export const hashSchemes = ['argon2', 'bcrypt', 'pbkdf2'] as const;

/** A hash with all settings that are needed to compute it again. */
export type PasswordHash = Argon2Hash | BcryptHash | Pbkdf2Hash;

export interface Argon2Hash {
  readonly scheme: 'argon2';
  readonly algorithm: 'argon2d' | 'argon2i' | 'argon2id';
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

export interface BcryptHash {
  readonly scheme: 'bcrypt';
  /** The whole text: bcrypt writes salt and tag in its own alphabet. */
  readonly text: string;
}

export interface Pbkdf2Hash {
  readonly scheme: 'pbkdf2';
  /** Node's name of the digest. */
  readonly algorithm: string;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Undefined if the text is no hash, or costs too much to check. */
export function readHash(text: string): PasswordHash | undefined {
  return readArgon2(text) ?? readBcrypt(text) ?? readPbkdf2(text);
}

export function formatArgon2({ salt, tag, ...hash }: Omit<Argon2Hash, 'scheme'>): string {
  return `${argon2Prefix(hash)}${base64(salt)}$${base64(tag)}`;
}

/** The common prefix of all PHC strings of one cost. */
export function argon2Prefix({
  algorithm,
  memory,
  passes,
  parallelism,
}: Pick<Argon2Hash, 'algorithm' | 'memory' | 'parallelism' | 'passes'>): string {
  return `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$`;
}

/** Some libraries write `m`, `t` and `p` in another order, or pad the base64: each has one reading. */
const argon2Form =
  /^\$(argon2id|argon2i|argon2d)\$v=19\$(?=[^$]*m=(\d{1,6})[,$])(?=[^$]*t=(\d{1,2})[,$])(?=[^$]*p=(\d{1,2})[,$])[mtp]=\d+,[mtp]=\d+,[mtp]=\d+\$([A-Za-z0-9+/]{11,86})={0,2}\$([A-Za-z0-9+/]{22,172})={0,2}$/;

/** At most 256 MiB and 16 passes. */
function readArgon2(text: string): Argon2Hash | undefined {
  const [, algorithm, m, t, p, salt, tag] = argon2Form.exec(text) ?? [];
  if (salt === undefined || tag === undefined) return undefined;
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)];
  const fits = memory <= 262_144 && memory >= 8 * parallelism && within(passes, 1, 16);
  if (!fits || !within(parallelism, 1, 16)) return undefined;
  return {
    scheme: 'argon2',
    algorithm: algorithm as Argon2Hash['algorithm'],
    memory,
    passes,
    parallelism,
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** `$2a$`, `$2b$` and `$2y$` do not differ for typed passwords. Cost 14 takes a second. */
function readBcrypt(text: string): BcryptHash | undefined {
  const [, cost = ''] = bcryptForm.exec(text) ?? [];
  return within(Number(cost || '0'), 4, 14) ? { scheme: 'bcrypt', text } : undefined;
}

/** Django's `pbkdf2_sha256$260000$salt$hash`, where the salt is text. */
const djangoForm = /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,8})\$([!-#%-~]{1,128})\$([A-Za-z0-9+/=]+)$/;
/** PHC's `$pbkdf2-sha256$i=29000,l=32$salt$hash`, and passlib's, with `.` for `+` and no `i=`. */
const phcForm =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,8})(?:,l=\d{1,3})?\$([A-Za-z0-9+./]{1,172})={0,2}\$([A-Za-z0-9+./]+)={0,2}$/;

/** RFC 8018 4.2 sets the least. More than the most would take seconds at each login. */
export const pbkdf2Iterations = { least: 1000, most: 10_000_000 } as const;

/** The iterations of a pbkdf2 hash, also out of bounds; undefined for other texts. */
export function iterationsOf(text: string): number | undefined {
  const [, , count] = djangoForm.exec(text) ?? phcForm.exec(text) ?? [];
  return count === undefined ? undefined : Number(count);
}

function readPbkdf2(text: string): Pbkdf2Hash | undefined {
  const django = djangoForm.exec(text);
  const [, algorithm = 'sha1', count = '', salt = '', encoded = ''] =
    django ?? phcForm.exec(text) ?? [];
  const iterations = Number(count);
  const tag = decode(encoded);
  const { least, most } = pbkdf2Iterations;
  if (!within(iterations, least, most) || !within(tag.length, 16, 64)) return undefined;
  const bytes = django === null ? decode(salt) : Buffer.from(salt);
  return { scheme: 'pbkdf2', algorithm, iterations, salt: bytes, tag };
}

function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
