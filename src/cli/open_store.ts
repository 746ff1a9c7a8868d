// Owns opening the configured store with its master key, and choosing the clock of commands.

import type { Config } from '../config/config.ts';
import { masterKeyPath, MasterKeyUnusable, readMasterKey } from '../config/master_key.ts';
import { storePassword } from '../config/store_files.ts';
import { type SystemClock, systemClock } from '../lib/clock.ts';
import type { StoreCare } from '../store/care.ts';
import type { Store } from '../store/contract.ts';
import { storeAt, type StoreOptions, type StoreSite } from '../store/open.ts';
import { createKeyring, type Keyring } from '../token/keyring.ts';
import { isSealedUnder } from '../token/signing_keys.ts';
import { auditedStore } from './audit/audited_store.ts';
import { beginAudit, type CommandAudit, newestTold } from './audit/command_audit.ts';
import { streamMarkOf } from './audit/stream_mark.ts';
import { isSystemError, storeUnusable } from './exit.ts';
import { storeClock } from './server/store_clock.ts';

export interface OpenStore {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: SystemClock;
}

/** The open store of a command, and its configuration. */
export interface Surroundings extends OpenStore {
  readonly config: Config;
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
 * Tells the audit stream that the command begins which is about to change something beside the store's
 * rows. Where there is no store there is nothing to change.
 * @throws CommandError where it cannot be told and the configuration wants that refused
 */
export function auditCommand(config: Config): CommandAudit | undefined {
  if (config.audit === undefined || !storeExists(config)) return undefined;
  return beginAudit(config, createKeyring(masterKeyOf(config)));
}

/** The care of the configured store. Refuses a memory store: it would be empty and lost at once. */
export function expectDurableStore(config: Config): StoreCare {
  const { care } = siteOf(config);
  if (care !== undefined) return care;
  throw storeUnusable(
    'the store is memory, which only a running server has: set store to file:PATH in the configuration',
  );
}

/** Opens the configured durable store while `use` runs. */
export async function withStore<Result>(
  config: Config,
  use: (open: Surroundings) => Promise<Result>,
): Promise<Result> {
  expectDurableStore(config);
  const open = await openStore(config);
  try {
    const mark = config.audit && (await streamMarkOf(open.store, config));
    const store = auditedStore(open.store, () => beginAudit(config, open.keyring, mark?.known));
    const clock = await storeClock(store, open.clock);
    try {
      return await use({ ...open, store, config, clock });
    } finally {
      await mark?.note(newestTold());
    }
  } finally {
    await open.store.close();
  }
}

/**
 * Refuses a master key that is not the store's: every secret would be wrong, no signing key could
 * be opened, and verifiers would not know new signing keys.
 * @throws MasterKeyUnusable
 */
async function expectOwnKey(store: Store, keyring: Keyring, config: Config): Promise<void> {
  // A store without a recorded check is checked with its oldest sealed signing key.
  const kept = await store.ensureKeyCheck(keyring.keyCheck, (key) => isSealedUnder(key, keyring));
  if (kept === keyring.keyCheck) return;
  throw new MasterKeyUnusable(
    `${masterKeyPath(config)} is not the master key that the store ${storeAt(config.store).name} was made with: put that one back from your backup, or name it (master_key_file, JETWAY_MASTER_KEY_FILE)`,
  );
}
