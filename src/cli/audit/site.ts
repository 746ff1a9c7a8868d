// Owns what the verbs below `audit` read of a configuration: where the stream is, and its keys.

import { existsSync } from 'node:fs';

import type { AuditSettings } from '../../config/audit_keys.ts';
import type { Config } from '../../config/config.ts';
import { masterKeyPath } from '../../config/master_key.ts';
import { failed } from '../../server/exit.ts';
import { masterKeyOf, storeExists } from '../../server/open_store.ts';
import { createKeyring, type Keyring } from '../../token/keyring.ts';

/** @throws CommandError where there is no stream; the master key's errors where that cannot be read */
export function auditOf(config: Config): {
  readonly settings: AuditSettings;
  readonly keyring: Keyring;
} {
  const { audit: settings } = config;
  if (settings === undefined) throw failed('the configuration has no audit stream (audit)');
  // Reading the key would make one, of a store to come.
  if (!storeExists(config) && !existsSync(masterKeyPath(config) ?? '')) {
    throw failed('there is no store yet, and so no audit stream');
  }
  return { settings, keyring: createKeyring(masterKeyOf(config)) };
}
