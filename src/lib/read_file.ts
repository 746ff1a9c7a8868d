// Owns reading the operator's files: regular files only, bounded, never blocking; who else may have rights
// on private ones (HOSTILE 56); and noting what was read, so that a change is noticed.

import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** A file that cannot be read, or whose content cannot be used; the message says why, without the path. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/**
 * The text of a regular file of at most `maxBytes`. A pipe or device would block or never end
 * (HOSTILE 54), so the file is opened without waiting and looked at before it is read. Bytes that are no
 * UTF-8 are U+FFFD: the parsers of YAML and CSV tell their places, PEM holds them in comments alone.
 */
export function readSourceFile(path: string, maxBytes: number): string {
  return noted(path, () => readFile(path, maxBytes)).toString('utf8');
}

/**
 * The bytes of a regular file in a folder or below it. A name or link that leads out of the folder
 * is refused: the file there might be secret.
 */
export function readFileInside(folder: string, name: string, maxBytes: number): Uint8Array {
  return noted(join(folder, name), () => {
    const path = realPath(join(folder, name));
    if (!path.startsWith(realPath(folder) + sep)) throw new UnreadableFile('is in another folder');
    return readFile(path, maxBytes);
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw unreadable(error);
  }
}

function readFile(
  path: string,
  maxBytes: number,
  check: (stats: Stats) => void = () => undefined,
): Buffer {
  const descriptor = open(path);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new UnreadableFile('is not a regular file');
    check(stats);
    if (stats.size > maxBytes) throw new UnreadableFile(`is larger than ${maxBytes} bytes`);
    return readOpen(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** As `readSourceFile`, but bytes that are no UTF-8 are refused; a byte order mark is dropped. */
export function readTextFile(path: string, maxBytes: number): string {
  return decode(noted(path, () => readFile(path, maxBytes)));
}

/** As `readTextFile`, for a secret: it must be private (`exposureOf`). */
export function readSecretFile(path: string, maxBytes: number): string {
  const check = (stats: Stats): void => expectPrivate(path, stats);
  return decode(noted(path, () => readFile(path, maxBytes, check)));
}

/**
 * A credential of systemd (`LoadCredential=`) is root's and lets the service's user read it by an access list,
 * whose mask shows as the rights of a group. Nobody else can enter its folder.
 */
function isCredential(path: string): boolean {
  const folder = process.env['CREDENTIALS_DIRECTORY'];
  return folder !== undefined && folder !== '' && path.startsWith(`${folder}/`);
}

/** HOSTILE 89: as U+FFFD different secrets would become equal, and the right one would match nowhere. */
function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  const right = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const line = right.slice(0, right.indexOf('\uFFFD')).split('\n').length;
  throw new UnreadableFile(`is not UTF-8 (line ${line}): save it as UTF-8`);
}

function expectPrivate(path: string, stats: Stats): void {
  const { mode, uid, gid } = stats;
  const exposure = exposureOf(path, { mode: isCredential(path) ? mode & ~0o070 : mode, uid, gid });
  if (exposure === 'open') {
    throw new UnreadableFile(`can be read by others (mode ${shownMode(stats)}): chmod 600 it`);
  }
  if (exposure === 'foreign') {
    throw new UnreadableFile('belongs to another user: give it to root or to the user of Jetway');
  }
}

/** The rights on a file, and whose it is. */
export type Rights = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/** Why a file is not private: others have rights on it, or it is another user's. */
export type Exposure = 'open' | 'foreign';

/**
 * What makes a file at a path not private; undefined for a private one, and where there are no users.
 * PostgreSQL's rule for key files (its documentation, "Secure TCP/IP Connections with SSL"): a group of
 * this process may read a file of root. On a volume with `fsGroup`, Kubernetes gives that group the
 * rights of the owner at each start, and marks the folders by their set-group-ID bit.
 */
export function exposureOf(path: string, { mode, uid, gid }: Rights): Exposure | undefined {
  const us = process.geteuid?.();
  if (us === undefined) return undefined;
  let granted = 0;
  if (process.getegid?.() === gid || process.getgroups?.().includes(gid) === true) {
    if (uid === 0) granted |= 0o040;
    if (uid === us && isOfGroup(dirname(realpathSync(path)), gid)) granted |= 0o060;
  }
  if ((mode & 0o077 & ~granted) !== 0) return 'open';
  return uid === 0 || uid === us ? undefined : 'foreign';
}

function isOfGroup(folder: string, group: number): boolean {
  const { mode, gid } = statSync(folder);
  return (mode & 0o2000) !== 0 && gid === group;
}

/** The rights of a file as chmod takes them, such as 0640. */
export function shownMode({ mode }: Rights): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(error);
  }
}

function readOpen(descriptor: number): Buffer {
  try {
    return readFileSync(descriptor);
  } catch (error) {
    // Disks and network file systems fail late, too.
    throw new UnreadableFile(`cannot be read (${codeOf(error)})`, { cause: error });
  }
}

function unreadable(error: unknown): UnreadableFile {
  const code = codeOf(error);
  if (code === 'ENOENT') return new UnreadableFile('does not exist', { cause: error });
  return new UnreadableFile(`cannot be opened (${code})`, { cause: error });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** One file that was read, or that could not be. */
export interface FileRead {
  /** As it was named: links may lead elsewhere later. */
  readonly path: string;
  /** Of the file just before it was read; see `stampOf`. */
  readonly stamp: string;
  /** SHA-256 in hex of its bytes, or of the reason why they could not be read. */
  readonly digest: string;
}

let notes: FileRead[] | undefined;

/** Runs `read`, which must not wait, and tells which files were read in it. */
export function noteReads<Result>(read: () => Result): {
  readonly result: Result;
  readonly reads: readonly FileRead[];
} {
  const [outer, reads] = [notes, [] as FileRead[]];
  notes = reads;
  try {
    return { result: read(), reads };
  } finally {
    notes = outer;
  }
}

function noted<Bytes extends Uint8Array>(path: string, read: () => Bytes): Bytes {
  if (notes === undefined) return read();
  const stamp = stampOf(path);
  try {
    const bytes = read();
    notes.push({ path, stamp, digest: hash('sha256', bytes) });
    return bytes;
  } catch (error) {
    notes.push({ path, stamp, digest: hash('sha256', String(error)) });
    throw error;
  }
}

/**
 * Another text whenever a file was written, replaced, removed or given other rights, also through a link
 * that now leads to another file.
 */
export function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}
