// Owns opening the configured store with its master key.

import type { Config } from '../config/config.ts';
import { masterKeyPath, readMasterKey } from '../config/master_key.ts';
import { storePassword } from '../config/store_files.ts';
import { type SystemClock, systemClock } from '../lib/clock.ts';
import type { Store } from '../store/contract.ts';
import { storeAt, type StoreOptions, type StoreSite } from '../store/open.ts';
import { MasterKeyUnusable } from '../store/unusable.ts';
import { createKeyring, type Keyring } from '../token/keyring.ts';
import { isSealedUnder } from '../token/signing_keys.ts';
import { isSystemError } from './exit.ts';

export interface OpenStore {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: SystemClock;
}

/**
 * Opens the configured store; makes it and its master key on first use.
 * @throws MasterKeyUnusable, StoreUnusable
 */
export async function openStore(
  config: Config,
  options: Pick<StoreOptions, 'onFatal'> = {},
): Promise<OpenStore> {
  const site = siteOf(config);
  // First: for an impossible location, the error would otherwise be a missing master key.
  site.expectPossible();
  const keyring = createKeyring(masterKeyOf(config));
  const store = await site.open({ environment: config.environment, ...options });
  try {
    await expectOwnKey(store, keyring, config);
  } catch (error) {
    await store.close();
    throw error;
  }
  return { store, keyring, clock: systemClock({ wall: store.wall }) };
}

/** The configured store, with its password. */
export function siteOf({ store, storePasswordFile }: Config): StoreSite {
  return storeAt(store, storePassword(store, storePasswordFile));
}

/** A system error here has the store's exit code: without its key a store cannot be used. */
export function masterKeyOf(config: Config): Uint8Array {
  try {
    return readMasterKey(config);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new MasterKeyUnusable(`the master key cannot be made: ${error.message}`, {
      cause: error,
    });
  }
}

/** Whether the store exists already; opening a missing one would make it. */
export function storeExists({ store }: Config): boolean {
  return storeAt(store).exists();
}

/**
 * Refuses a master key that is not the store's: every secret would be wrong, no signing key could
 * be opened, and verifiers would not know new signing keys.
 * @throws MasterKeyUnusable
 */
async function expectOwnKey(store: Store, keyring: Keyring, config: Config): Promise<void> {
  if (await isOwnKey(store, keyring)) return;
  throw new MasterKeyUnusable(
    `${masterKeyPath(config)} is not the master key that the store ${storeAt(config.store).name} was made with: put that one back from your backup, or name it (master_key_file, JETWAY_MASTER_KEY_FILE)`,
  );
}

/** Whether it is the master key of the store. One without a recorded check is checked with its oldest signing key. */
export async function isOwnKey(store: Store, keyring: Keyring): Promise<boolean> {
  const { keyCheck } = keyring;
  return (await store.ensureKeyCheck(keyCheck, (key) => isSealedUnder(key, keyring))) === keyCheck;
}
