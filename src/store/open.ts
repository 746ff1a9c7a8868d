// Owns the kinds of stores: how a configuration names each kind, how it is opened and cared for. A new
// backend adds itself here alone.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import { present } from '../lib/present.ts';
import type { Unavailable } from '../oauth/failure.ts';
import type { Arriving, Leaving } from './admin/copy.ts';
import { type StoreCare, StoreUnwritable } from './care.ts';
import type { Environment, Store } from './contract.ts';
import type { Item, Kind } from './kinds.ts';
import {
  LocationRefused,
  postgresForm,
  type PostgresLocation,
  postgresName,
  readPostgresLocation,
} from './postgres/location.ts';
import { arriveAtFile, fileCare, leaveFile, sizeOf } from './sqlite/care.ts';
import { readItems } from './sqlite/file/read.ts';
import { expectFilePath } from './sqlite/file/refusals.ts';
import { openFileStore, openMemoryStore, serverReserve } from './sqlite/store.ts';

/** Where a store is, as plain data. */
export type StoreLocation =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | PostgresLocation;

/** What a text that names a store looks like. */
const storeForms = `memory, or file: and a path, such as file:./data/jetway.db, or ${postgresForm}`;

/**
 * The location that a configuration names. `local` completes a path.
 * @throws LocationRefused for any other text; the message never has a password
 */
export function readStoreLocation(
  text: string,
  local: (path: string) => string = (path) => path,
): StoreLocation {
  if (text === 'memory') return { kind: 'memory' };
  if (/^file:.+/.test(text)) return { kind: 'file', path: local(text.slice('file:'.length)) };
  if (/^postgres(?:ql)?:/.test(text)) return readPostgresLocation(text, local);
  throw new LocationRefused(`expected ${storeForms}`);
}

/** Why a text names no store; undefined where it names one. */
export function locationFault(text: string): string | undefined {
  try {
    readStoreLocation(text);
    return undefined;
  } catch (error) {
    if (error instanceof LocationRefused) return error.message;
    throw error;
  }
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
  /**
   * What becomes of its master key: `fleeting` ends with the process, `made` is made with the store,
   * `brought` is never made by itself, since all machines of the store need one key.
   */
  readonly masterKey: 'fleeting' | 'made' | 'brought';
  /** The folder in which a key that is made stands by default. */
  readonly keyFolder?: string;
  /** Absent for a store that ends with its process. */
  readonly care?: StoreCare;
  /**
   * The store as one that is moved elsewhere, or a place for one that is moved here; absent for a store
   * that ends with its process.
   */
  readonly move?: {
    readonly leave: () => Promise<Leaving>;
    readonly arrive: (environment: Environment) => Promise<Arriving>;
  };
  /** Bytes that it has on the disk; absent for a store that has none, or does not tell. */
  readonly size?: () => number;
  /**
   * Reads the sound items of a kind and changes nothing, not even the store's files. Absent for a store
   * that cannot be looked at in this way.
   * @throws StoreUnusable
   */
  readonly look?: <K extends Kind>(kind: K) => readonly Item<K>[];
  /** Whether there is a store; otherwise `open` makes one. */
  readonly exists: () => boolean;
  /** @throws StoreUnusable for a location where no store can be. */
  readonly expectPossible: () => void;
  /** @throws StoreUnusable */
  readonly open: (options: StoreOptions) => Promise<Store>;
}

/**
 * @param password of a store across a network, read anew at each call so that it can be rotated; may
 *   throw StoreUnusable. Left out where none is configured, and where the store is only named
 */
export function storeAt(location: StoreLocation, password?: () => string): StoreSite {
  if (location.kind === 'memory') return memorySite;
  return location.kind === 'file' ? fileSite(location.path) : postgresSite(location, password);
}

const memorySite: StoreSite = {
  name: 'memory',
  masterKey: 'fleeting',
  exists: () => false,
  expectPossible: () => {},
  open: async () => openMemoryStore(),
};

function fileSite(path: string): StoreSite {
  return {
    name: path,
    masterKey: 'made',
    keyFolder: dirname(path),
    size: () => sizeOf(path),
    look: (kind) => readItems(path, kind),
    exists: () => existsSync(path),
    expectPossible: () => expectFilePath(path),
    open: async ({ environment, onFatal }) => {
      const server = onFatal === undefined ? {} : { reserve: serverReserve, onFatal };
      return openFileStore({ path, environment, ...server });
    },
    move: { leave: () => leaveFile(path), arrive: () => arriveAtFile(path) },
    care: writing(fileCare(path)),
  };
}

function postgresSite(location: PostgresLocation, password?: () => string): StoreSite {
  const access = present({ location, password });
  return {
    name: postgresName(location),
    masterKey: 'brought',
    // Opening it tells.
    exists: () => true,
    expectPossible: () => {},
    open: async (options) => {
      const { openPostgresStore } = await import('./postgres/store.ts');
      return openPostgresStore({ ...access, ...options });
    },
    move: {
      leave: async () => (await postgresVerbs()).leavePostgres(access),
      arrive: async (environment) => (await postgresVerbs()).arriveAtPostgres(access, environment),
    },
    care: writing(postgresCare(async () => (await postgresVerbs()).postgresCare(access))),
  };
}

/** Loaded where there is such a store: with the driver it is as large as the rest of a store. */
const postgresVerbs = () => import('./postgres/care.ts');

function postgresCare(load: () => Promise<Required<Omit<StoreCare, 'losing'>>>): StoreCare {
  return {
    losing: 'what is in the store would be replaced for good',
    backup: async (...asked) => (await load()).backup(...asked),
    backupSize: async () => (await load()).backupSize(),
    restore: async (...asked) => (await load()).restore(...asked),
    verify: async (...asked) => (await load()).verify(...asked),
    restoreInPlace: async (...asked) => (await load()).restoreInPlace(...asked),
  };
}

/** SQLite tells a refusal of the system with a code of its own. */
function writing(care: StoreCare): StoreCare {
  const told = (error: unknown): never => {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ERR_SQLITE_ERROR') throw error;
    throw new StoreUnwritable(error.message, { cause: error });
  };
  return {
    ...care,
    backup: (...asked) => care.backup(...asked).catch(told),
    restore: (...asked) => care.restore(...asked).catch(told),
  };
}
