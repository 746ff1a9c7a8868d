// Owns what can be done with a store beside serving from it: back it up, restore it, examine it.

import type { Instant } from '../lib/clock.ts';
import type { Environment } from './contract.ts';

/** What a store holds, as of one moment; plain data. */
export interface StoreReport {
  /** Of a file, absolute; else how messages name the store. */
  readonly path: string;
  /** Bytes, without the log. */
  readonly size: number;
  readonly schema: number;
  readonly environment: Environment;
  readonly createdAt: string;
  /** The latest time the store has recorded. */
  readonly recordedTime?: Instant;
  /** Rows of each table, those of registered things by kind; of large tables on a server, about. */
  readonly counts: Readonly<Record<string, number>>;
  /** What is wrong with the store, in words; empty when it is sound. */
  readonly damage: readonly string[];
  /** What the servers of a database tell of themselves, each by its name for people. */
  readonly server?: Readonly<Record<string, string>>;
  /** What an operator should mend though the store is sound. */
  readonly warnings?: readonly string[];
}

export interface RestoreReport extends StoreReport {
  /** Where the replaced file lies now; absent where there was none. */
  readonly replaced?: string;
  /** Codes, logins and token keys of the backup that are void by now, by table or kind. */
  readonly voided: Readonly<Record<string, number>>;
}

export interface BackupOptions {
  /** Whether an existing file may be replaced; if left out it may not. */
  readonly overwrite?: boolean;
}

/** What a store is held against. */
export interface VerifyOptions {
  /** Of the configured master key; see `Keeping.ensureKeyCheck`. */
  readonly keyCheck?: string;
}

export interface InPlaceOptions {
  /** Nothing was brought back: codes and tokens stay, and the database's history is taken for the store's. */
  readonly keepGranted?: boolean;
}

/** Care of one store. Each verb throws `StoreUnusable` where there is no sound store or backup. */
export interface StoreCare {
  /**
   * Copies the store to a file as it is at one moment; servers that use the store go on meanwhile.
   * @throws StoreUnwritable
   */
  readonly backup: (target: string, options?: BackupOptions) => Promise<StoreReport>;
  /** Bytes that a backup takes, about. */
  readonly backupSize: () => number | Promise<number>;
  /**
   * Puts a backup in the place of the store, which no server may have open. All codes and tokens of
   * the backup are void.
   * @throws StoreUnwritable
   */
  readonly restore: (backup: string, environment: Environment) => Promise<RestoreReport>;
  /** What a restore does with what is there, for people. */
  readonly losing: string;
  /** Reads the whole store, or a sample of a large one on a server; damage is part of the report. */
  readonly verify: (options?: VerifyOptions) => StoreReport | Promise<StoreReport>;
  /**
   * Voids all codes and tokens where they are, as a restore does: for a database that its own means have
   * brought back to an earlier time. Absent for a store that has no such means.
   */
  readonly restoreInPlace?: (
    environment: Environment,
    options?: InPlaceOptions,
  ) => Promise<RestoreReport>;
}

/** A backend could not write a file of a store: no space, no permission, no such folder. */
export class StoreUnwritable extends Error {
  override readonly name = 'StoreUnwritable';
}
