// Owns opening the configured store: its file, the master key of that file, and the time that commands
// go by.

import { existsSync } from 'node:fs';

import type { Config } from '../config/config.ts';
import { masterKeyPath, MasterKeyUnusable, readMasterKey } from '../config/master_key.ts';
import { type SystemClock, systemClock } from '../lib/clock.ts';
import type { Store } from '../store/contract.ts';
import { createMemoryStore } from '../store/memory/store.ts';
import { expectNoDirectory } from '../store/sqlite/file/open.ts';
import { type FileStore, type FileStoreOptions, openFileStore } from '../store/sqlite/store.ts';
import { createKeyring, type Keyring } from '../token/keyring.ts';
import { isSealedUnder } from '../token/signing_keys.ts';
import { CommandError, exitCodes, isSystemError } from './exit.ts';
import { storeClock } from './server/store_clock.ts';

/** A store that is open, with the keys that go with it. */
export interface OpenStore {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: SystemClock;
  /** The store, where it is a file. */
  readonly file?: FileStore;
}

/**
 * Opens the configured store; makes it, and its master key, on first use. `options` are a server's.
 * @throws MasterKeyUnusable, StoreUnusable
 */
export async function openStore(
  config: Config,
  options: Pick<FileStoreOptions, 'reserve' | 'onFatal'> = {},
): Promise<OpenStore> {
  // First: what stands there is no store that a master key could be missing for.
  if (config.store.kind === 'file') expectNoDirectory(config.store.path);
  const keyring = createKeyring(masterKeyOf(config));
  const clock = systemClock();
  if (config.store.kind === 'memory') return { store: createMemoryStore(), keyring, clock };
  const { path } = config.store;
  const file = openFileStore({ path, environment: config.environment, ...options });
  try {
    await expectOwnKey(file, keyring, config);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { store: file, keyring, clock, file };
}

/** Without its key a store is of no use, so what the system refuses here is the store's trouble. */
function masterKeyOf(config: Config): Uint8Array {
  try {
    return readMasterKey(config);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new MasterKeyUnusable(`the master key cannot be made: ${error.message}`, {
      cause: error,
    });
  }
}

/** Whether there is a store to open; otherwise opening it makes one. */
export function storeStands({ store }: Config): boolean {
  return store.kind === 'file' && existsSync(store.path);
}

/** What is written to a memory store would be gone at once, and there is nothing in it to see. */
export function expectDurableStore(config: Config): void {
  if (config.store.kind !== 'memory') return;
  throw new CommandError(
    exitCodes.store,
    'the store is memory, which only a running server has: set store to file:PATH in the configuration',
  );
}

/** Opens the configured store, which must be one that lasts, for as long as `use` takes. */
export async function withStore<Result>(
  config: Config,
  use: (open: OpenStore) => Promise<Result>,
): Promise<Result> {
  expectDurableStore(config);
  const open = await openStore(config);
  try {
    const { file, clock } = open;
    return await use(file === undefined ? open : { ...open, clock: await storeClock(file, clock) });
  } finally {
    await open.store.close();
  }
}

/**
 * Under another key no secret would be right and no signing key could be opened: partners would be
 * told that their credentials are wrong, or tokens be signed with keys that nobody knows.
 * @throws MasterKeyUnusable
 */
async function expectOwnKey(store: Store, keyring: Keyring, config: Config): Promise<void> {
  if (config.store.kind === 'memory') return;
  // A store from before the check was kept tells by a key that it has sealed.
  const kept = await store.ensureKeyCheck(keyring.keyCheck, (key) => isSealedUnder(key, keyring));
  if (kept === keyring.keyCheck) return;
  const { path } = config.store;
  throw new MasterKeyUnusable(
    `${masterKeyPath(path, config.masterKeyFile)} is not the master key that the store ${path} was made with: put that one back from your backup, or name it (master_key_file, JETWAY_MASTER_KEY_FILE)`,
  );
}
