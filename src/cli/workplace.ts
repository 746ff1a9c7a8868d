// Owns what most verbs start from: the configuration, its programmes, and the store with its keys.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

import { type Config, readConfig } from '../config/config.ts';
import { withCredentials } from '../config/directory_credentials.ts';
import { MasterKeyUnusable, readMasterKey } from '../config/master_key.ts';
import {
  listProgrammeFiles,
  type ProgrammeFile,
  readProgrammeFile,
  readProgrammeFolder,
} from '../config/programme_files.ts';
import { type SystemClock, systemClock } from '../lib/clock.ts';
import { FaultsError, quote } from '../lib/fault.ts';
import { suggest } from '../lib/suggest.ts';
import type { HookCredentials } from '../members/hook_connection.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import { compileProgramme } from '../programme/compile.ts';
import type { LoadedProgramme } from '../programme/language/load.ts';
import type { Programme } from '../programme/programme.ts';
import type { Store } from '../store/contract.ts';
import { createMemoryStore } from '../store/memory/store.ts';
import { expectNoDirectory } from '../store/sqlite/file/open.ts';
import { type FileStore, type FileStoreOptions, openFileStore } from '../store/sqlite/store.ts';
import { createKeyring, type Keyring } from '../token/keyring.ts';
import { CommandError, exitCodes } from './exit.ts';
import { isSystemError } from './explain.ts';
import { expectOwnKey } from './keys/check.ts';
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

/** A folder of programmes as it can be served. */
export interface CompiledFolder {
  readonly programmes: readonly Programme[];
  readonly files: readonly ProgrammeFile[];
  /** Of the programmes whose member directory is behind a hook. */
  readonly credentials: ReadonlyMap<ProgrammeId, HookCredentials>;
}

/** Compiles what can be compiled of a folder of programmes. */
export function compileFolder(folder: string, publicUrl: string): CompiledFolder {
  const files = readProgrammeFolder(folder).map(withCredentials);
  const programmes = files.flatMap(({ loaded }) =>
    loaded === undefined
      ? []
      : [compileProgramme(loaded.id, loaded.definition, publicUrl, loaded.logos)],
  );
  const credentials = new Map(
    files.flatMap(({ loaded, credentials: own }) =>
      loaded === undefined || own === undefined ? [] : [[loaded.id, own] as const],
    ),
  );
  return { programmes, files, credentials };
}

/** Names of the configuration's programmes, whether or not their files load. */
function programmeIds(config: Config): readonly ProgrammeId[] {
  return listProgrammeFiles(config.programmes)
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => basename(path, '.yaml') as ProgrammeId);
}

/** The name as a programme of the configuration, or a usage error that lists those there are. */
function expectProgramme(config: Config, name: string): ProgrammeId {
  const known = programmeIds(config);
  const id = known.find((one) => one === name);
  if (id !== undefined) return id;
  const near = suggest(name, known);
  const list = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
  const hint = near === undefined ? list : `did you mean ${quote(near)}?`;
  throw new CommandError(exitCodes.usage, `there is no programme ${quote(name)} (${hint})`);
}

/** The named programme, or all of them where none is named. */
export function selectProgrammes(config: Config, name: string | undefined): readonly ProgrammeId[] {
  return name === undefined ? programmeIds(config) : [expectProgramme(config, name)];
}

/**
 * Loads one programme by its name and no other: a fault in another's file is no concern here.
 * Throws `FaultsError` when its own file has errors.
 */
export function loadNamed(config: Config, name: string): LoadedProgramme {
  const id = expectProgramme(config, name);
  const { loaded, faults } = readProgrammeFile(join(config.programmes, `${id}.yaml`));
  if (loaded === undefined) throw new FaultsError(faults);
  return loaded;
}

/** As `loadNamed`; undefined where the programme's file has errors, for verbs that can do without. */
export function loadIfGood(config: Config, id: ProgrammeId): LoadedProgramme | undefined {
  return readProgrammeFile(join(config.programmes, `${id}.yaml`)).loaded;
}

export function configOf(options: { readonly config: string }): Config {
  return readConfig(options.config);
}
