// Owns the master key file: made on first start, refused if it is lost or others can read it.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { makeFolder } from '../lib/make_folder.ts';
import { randomKey } from '../lib/random.ts';
import { readSecretFile, UnreadableFile } from '../lib/read_file.ts';
import { storeAt, type StoreSite } from '../store/open.ts';
import { MasterKeyUnusable } from '../store/unusable.ts';
import { masterKeyBytes } from '../token/keyring.ts';
import type { Config } from './config.ts';

/**
 * The service's master key. A memory store gets a new key each time. For a file store, the key is
 * made only together with the store: a new key would make every secret and signing key in an
 * existing store useless. For a PostgreSQL store it is never made: each machine would make its own.
 */
export function readMasterKey(config: Config): Uint8Array {
  const path = masterKeyPath(config);
  if (path === undefined) return randomBytes(masterKeyBytes);
  const site = storeAt(config.store);
  // Before reading the key: a first start makes the key before the store, so if the store exists,
  // its key does too.
  const storeExists = site.exists();
  if (!existsSync(path)) {
    if (site.masterKey === 'brought') throw new MasterKeyUnusable(missingKey(path, site));
    if (storeExists) {
      throw new MasterKeyUnusable(
        `${path} does not exist, but the store ${site.name} does: put the master key back from your backup`,
      );
    }
    makeMasterKey(path);
  }
  return readStandingKey(path);
}

function missingKey(path: string, { name }: StoreSite): string {
  return `${path} does not exist, and no key is made for a store that many machines share: copy the master key of ${name} there, or, where the store is new, make one (openssl rand -base64 32 | tr +/ -_ | tr -d =)`;
}

/**
 * The path of a durable store's master key; undefined for a memory store.
 * @throws MasterKeyUnusable where none is named for a store that has no place for it
 */
export function masterKeyPath({ store, masterKeyFile }: Config): string | undefined {
  const { keyFolder, masterKey, name } = storeAt(store);
  if (masterKey === 'fleeting') return undefined;
  const named = process.env['JETWAY_MASTER_KEY_FILE'] || masterKeyFile;
  if (named !== undefined) return named;
  if (keyFolder !== undefined) return join(keyFolder, 'master.key');
  throw new MasterKeyUnusable(
    `the store ${name} needs the master key that all of its machines share: name its file (master_key_file, JETWAY_MASTER_KEY_FILE)`,
  );
}

function readStandingKey(path: string): Uint8Array {
  const fault = (reason: string): Error => new MasterKeyUnusable(`${path} ${reason}`);
  try {
    const text = readSecretFile(path, 1024).trim();
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length === masterKeyBytes && bytes.toString('base64url') === text) return bytes;
  } catch (error) {
    throw error instanceof UnreadableFile ? fault(error.message) : error;
  }
  throw fault('is not a master key: expected 43 base64url characters');
}

/**
 * If two processes start at once, both must use one key, and neither may read half of it: the file
 * is written under another name and then linked, which fails if the target exists. The other name
 * is random: in containers every process may have the same pid.
 */
export function makeMasterKey(path: string): void {
  makeFolder(dirname(path), 0o700);
  const draft = `${path}.${randomKey(6)}.new`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    // The umask may have removed the owner's own permissions.
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, `${randomKey(masterKeyBytes)}\n`);
    fsyncSync(descriptor);
    linkSync(draft, path);
  } catch (error) {
    // Another process was faster: use its key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(draft);
  }
  synchronise(dirname(path));
}

/** Flushes the folder: after a power cut the store must not exist without its key. */
function synchronise(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
