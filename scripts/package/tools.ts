// Owns what all parts of packaging share: where they keep what they fetch, and archives that are the
// same to the byte whenever and by whomever they are made.

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export const root: string = join(import.meta.dirname, '../..');

/** What is packed as it is written: units, and scripts of the .deb. */
export const filesFolder: string = join(root, 'scripts/package/files');

export const cacheFolder: string = join(root, 'node_modules/.cache/jetway');

/** What packages are made of. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  /** Seconds since 1970 of the commit. */
  readonly epoch: number;
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program and returns what it printed. */
export function run(command: string, args: readonly string[], where: Surroundings = {}): string {
  const maxBuffer = 64 * 1024 * 1024;
  return execFileSync(command, args, { ...where, encoding: 'utf8', maxBuffer });
}

export interface Archived {
  /** Seconds since 1970 that every file is of. */
  readonly epoch: number;
  /** Who owns every file; `0` if left out. */
  readonly owner?: string;
  /** What of the folder; all of it if left out. */
  readonly names?: readonly string[];
  /** The folder that a reader unpacks it into; none if left out. */
  readonly top?: string;
}

/** Archives a folder; gzipped where the path says so. */
export async function archive(path: string, folder: string, how: Archived): Promise<void> {
  const { epoch, owner = '0', names = ['.'], top } = how;
  const fixed = ['--format=gnu', '--sort=name', '--numeric-owner', `--mtime=@${epoch}`];
  const owners = [`--owner=${owner}`, `--group=${owner}`];
  // Not where a link leads to (S).
  const renamed = top === undefined ? [] : [`--transform=s,^\\.,${top},S`];
  const tar = spawn('tar', ['-c', '-C', folder, ...fixed, ...owners, ...renamed, ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(tar, 'close');
  const packed = path.endsWith('.gz') ? [createGzip()] : [];
  await pipeline([tar.stdout, ...packed, createWriteStream(path)]);
  const [code] = (await ended) as readonly (number | null)[];
  if (code !== 0) throw new Error(`tar failed for ${path}`);
}

/** SHA-256 in hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
