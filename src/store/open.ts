// Owns the kinds of stores: how a configuration names each kind, how it is opened and cared for. A new
// backend adds itself here alone.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Unavailable } from '../oauth/failure.ts';
import { type StoreCare, StoreUnwritable } from './care.ts';
import type { Environment, Store } from './contract.ts';
import { createMemoryStore } from './memory/store.ts';
import { backupStore } from './sqlite/care/backup.ts';
import { verifyStore } from './sqlite/care/examine.ts';
import { restoreStore } from './sqlite/care/restore.ts';
import { expectNoDirectory } from './sqlite/file/refusals.ts';
import { openFileStore, serverReserve } from './sqlite/store.ts';

/** Where a store is, as plain data. */
export type StoreLocation =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string };

/** What a text that names a store looks like. */
export const storeForms = 'memory, or file: and a path, such as file:./data/jetway.db';

/** The location that a configuration names; undefined for any other text. `local` completes a path. */
export function readStoreLocation(
  text: string,
  local: (path: string) => string = (path) => path,
): StoreLocation | undefined {
  if (text === 'memory') return { kind: 'memory' };
  if (/^file:.+/.test(text)) return { kind: 'file', path: local(text.slice('file:'.length)) };
  return undefined;
}

export interface StoreOptions {
  /** A store belongs to one environment and opens in no other (C-3). */
  readonly environment: Environment;
  /**
   * A server's. Told, once, why the store can no longer be used: the disk failed, or the file was
   * damaged or taken away (FAULTS 5 to 7). Every verb rejects by then; the process has to end.
   */
  readonly onFatal?: (reason: Unavailable) => void;
}

/** A location with its verbs. */
export interface StoreSite {
  /** How messages name the store. */
  readonly name: string;
  /** The folder in which its master key stands by default; absent where the store needs no kept key. */
  readonly keyFolder?: string;
  /** Absent for a store that ends with its process. */
  readonly care?: StoreCare;
  /** Bytes that it has on the disk; absent for a store that has none, or does not tell. */
  readonly size?: () => number;
  /** Whether there is a store; otherwise `open` makes one. */
  readonly exists: () => boolean;
  /** @throws StoreUnusable for a location where no store can be. */
  readonly expectPossible: () => void;
  /** @throws StoreUnusable */
  readonly open: (options: StoreOptions) => Promise<Store>;
}

export function storeAt(location: StoreLocation): StoreSite {
  return location.kind === 'memory' ? memorySite : fileSite(location.path);
}

const memorySite: StoreSite = {
  name: 'memory',
  exists: () => false,
  expectPossible: () => {},
  open: async () => createMemoryStore(),
};

function fileSite(path: string): StoreSite {
  return {
    name: path,
    keyFolder: dirname(path),
    size: () =>
      [path, `${path}-wal`].reduce(
        (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    exists: () => existsSync(path),
    expectPossible: () => expectNoDirectory(path),
    open: async ({ environment, onFatal }) => {
      const server = onFatal === undefined ? {} : { reserve: serverReserve, onFatal };
      return openFileStore({ path, environment, ...server });
    },
    care: {
      backup: (target, options) => writing(backupStore(path, target, options)),
      restore: (backup, environment) => writing(restoreStore(backup, path, { environment })),
      verify: () => verifyStore(path),
    },
  };
}

/** SQLite tells a refusal of the system with a code of its own. */
async function writing<Report>(report: Promise<Report>): Promise<Report> {
  return report.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ERR_SQLITE_ERROR') throw error;
    throw new StoreUnwritable(error.message, { cause: error });
  });
}
