// Owns what an executable is made for: an architecture, its node, and how this machine runs it.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const cache = join(import.meta.dirname, '../../node_modules/.cache/jetway');

export interface Target {
  /** As node calls it. */
  readonly arch: string;
  /** The node that becomes the executable; of the version of the running one. */
  readonly node: string;
  /** The command line, before its arguments, by which this machine runs that node. */
  readonly runs: readonly string[];
  /** The program of binutils that knows its format. */
  readonly strip: string;
}

/** This machine. */
export const ownTarget: Target = {
  arch: process.arch,
  node: process.execPath,
  runs: [process.execPath],
  strip: 'strip',
};

/** A copy of a target's node without its symbols, a fifth smaller; kept, since it never changes. */
export function strippedNode({ arch, node, strip }: Target): string {
  if (process.platform !== 'linux') return node;
  const copy = join(cache, `node-${process.version}-${arch}`);
  if (existsSync(copy)) return copy;
  mkdirSync(cache, { recursive: true });
  const draft = `${copy}.${process.pid}`;
  const { status } = spawnSync(strip, ['-o', draft, node], { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`${strip} is missing or failed (binutils): jetway will be 33 MB larger.`);
    return node;
  }
  renameSync(draft, copy);
  return copy;
}
