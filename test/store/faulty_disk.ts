// Owns a disk that fails as a test orders, for processes that are started on it: faulty_disk.c is
// made into a library that they load before the system's.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { preloadLibrary } from '../support/preload.ts';

type Order = 'fail-file' | 'fail-log' | 'full-log' | 'hold-file' | 'lose-index';

export interface FaultyDisk {
  /** Of the store. */
  readonly path: string;
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
  return {
    path,
    environment: {
      LD_PRELOAD: preloadLibrary(new URL('./faulty_disk.c', import.meta.url)),
      FAULTY_STORE: path,
      FAULTY_ORDERS: folder,
    },
    ...ordersIn(folder),
    calls: () => {
      const calls = join(folder, 'calls');
      return existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [];
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Orders to the disk that this process, or another one, was started on. */
export function ordersIn(folder: string): Pick<FaultyDisk, 'order' | 'withdraw'> {
  return {
    order: (what) => writeFileSync(join(folder, what), ''),
    withdraw: (what) => rmSync(join(folder, what)),
  };
}
