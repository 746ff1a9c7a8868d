// Owns what most verbs start from: the configuration, its programmes, and the store with its keys.

import { type Config, readConfig } from '../config/config.ts';
import { readMasterKey } from '../config/master_key.ts';
import { type ProgrammeFile, readProgrammeFolder } from '../config/programme_files.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { compileProgramme } from '../programme/compile.ts';
import type { Programme } from '../programme/programme.ts';
import type { Store } from '../store/contract.ts';
import { openFileStore } from '../store/file.ts';
import { createMemoryStore } from '../store/memory.ts';
import { createKeyring, type Keyring } from '../token/keyring.ts';
import { CommandError, exitCodes } from './exit.ts';

/** A store that is open, with the keys that go with it. */
export interface OpenStore {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** Opens the configured store; makes it, and its master key, on first use. */
export function openStore(config: Config): OpenStore {
  const keyring = createKeyring(readMasterKey(config));
  const store =
    config.store.kind === 'memory'
      ? createMemoryStore()
      : openFileStore({ path: config.store.path, environment: config.environment });
  return { store, keyring, clock: systemClock() };
}

/** A store for verbs that write: what they wrote to a memory store would be gone at once. */
export async function withStore<Result>(
  config: Config,
  use: (open: OpenStore) => Promise<Result>,
): Promise<Result> {
  if (config.store.kind === 'memory') {
    throw new CommandError(
      exitCodes.store,
      'the store is memory, which only a running server has: set store to file:PATH in the configuration',
    );
  }
  const open = openStore(config);
  try {
    return await use(open);
  } finally {
    await open.store.close();
  }
}

/** Compiles what can be compiled of a folder of programmes. */
export function compileFolder(
  folder: string,
  publicUrl: string,
): { readonly programmes: readonly Programme[]; readonly files: readonly ProgrammeFile[] } {
  const files = readProgrammeFolder(folder);
  const programmes = files.flatMap(({ loaded }) =>
    loaded === undefined ? [] : [compileProgramme(loaded.id, loaded.definition, publicUrl)],
  );
  return { programmes, files };
}

/** One programme of the configuration by its name, or a usage error that lists those there are. */
export function findProgramme(config: Config, name: string): Programme {
  const { programmes } = compileFolder(config.programmes, config.publicUrl);
  const programme = programmes.find((candidate) => candidate.id === name);
  if (programme !== undefined) return programme;
  const known = programmes.map(({ id }) => id).join(', ');
  throw new CommandError(
    exitCodes.usage,
    `there is no programme "${name}"${known === '' ? '' : `; there are ${known}`}`,
  );
}

export function configOf(options: { readonly config: string }): Config {
  return readConfig(options.config);
}
