// Owns noticing a master key that is not the one of the store beside it.

import type { Config } from '../../config/config.ts';
import { masterKeyPath, MasterKeyUnusable } from '../../config/master_key.ts';
import type { Store } from '../../store/contract.ts';
import type { Keyring } from '../../token/keyring.ts';
import { isSealedUnder } from '../../token/signing_keys.ts';

/**
 * Under another key no secret would be right and no signing key could be opened: partners would be
 * told that their credentials are wrong, or tokens be signed with keys that nobody knows.
 * @throws MasterKeyUnusable
 */
export async function expectOwnKey(store: Store, keyring: Keyring, config: Config): Promise<void> {
  if (config.store.kind === 'memory') return;
  // A store from before the check was kept tells by a key that it has sealed.
  const kept = await store.ensureKeyCheck(keyring.keyCheck, (key) => isSealedUnder(key, keyring));
  if (kept === keyring.keyCheck) return;
  const { path } = config.store;
  throw new MasterKeyUnusable(
    `${masterKeyPath(path, config.masterKeyFile)} is not the master key that the store ${path} was made with: put that one back from your backup, or name it (master_key_file, JETWAY_MASTER_KEY_FILE)`,
  );
}
