// Owns a disk that fails as a test orders, for processes that are started on it: faulty_disk.c is
// made into a library that they load before the system's.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why tests that need one are skipped; false where they are not. */
export const withoutFaultyDisk: string | false =
  process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0
    ? false
    : 'there is no C compiler, or no Linux to fail calls of';

type Order = 'fail-file' | 'fail-log' | 'full-log' | 'hold-file' | 'lose-index';

export interface FaultyDisk {
  /** What a process needs in its environment to have its store on this disk. */
  readonly environment: Readonly<Record<string, string>>;
  readonly order: (what: Order) => void;
  readonly withdraw: (what: Order) => void;
  /** What was done to the store so far, in order: `write log`, `synchronise file EIO`. */
  readonly calls: () => readonly string[];
  readonly remove: () => void;
}

/** A disk for the store at `path`, which is absolute. */
export function faultyDisk(path: string): FaultyDisk {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-disk-'));
  library ??= makeLibrary();
  return {
    environment: { LD_PRELOAD: library, FAULTY_STORE: path, FAULTY_ORDERS: folder },
    ...ordersIn(folder),
    calls: () => {
      const calls = join(folder, 'calls');
      return existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [];
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

let library: string | undefined;

function makeLibrary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-disk-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const path = join(folder, 'disk.so');
  const source = new URL('./faulty_disk.c', import.meta.url).pathname;
  const made = spawnSync('cc', ['-shared', '-fPIC', '-o', path, source, '-ldl']);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return path;
}

/** Orders to the disk that this process, or another one, was started on. */
export function ordersIn(folder: string): Pick<FaultyDisk, 'order' | 'withdraw'> {
  return {
    order: (what) => writeFileSync(join(folder, what), ''),
    withdraw: (what) => rmSync(join(folder, what)),
  };
}
