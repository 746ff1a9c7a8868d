// Owns opening the configured store for a command, with its clock and its audit stream.

import type { Config } from '../config/config.ts';
import { auditedStore } from '../server/audit/audited_store.ts';
import { streamMarkOf } from '../server/audit/stream_mark.ts';
import { storeUnusable } from '../server/exit.ts';
import {
  siteOf,
  masterKeyOf,
  type OpenStore,
  storeExists,
  openStore,
} from '../server/open_store.ts';
import { storeClock } from '../server/store_clock.ts';
import type { StoreCare } from '../store/care.ts';
import { createKeyring } from '../token/keyring.ts';
import { beginAudit, type CommandAudit, newestTold } from './audit/command_audit.ts';

/** The open store of a command, and its configuration. */
export interface Surroundings extends OpenStore {
  readonly config: Config;
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
