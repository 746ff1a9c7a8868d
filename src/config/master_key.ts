// Owns the master key file: made on first start, refused when others can read it or when it is gone.

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
import { storeAt } from '../store/open.ts';
import { masterKeyBytes } from '../token/keyring.ts';
import type { Config } from './config.ts';

/** The master key cannot be used; the message says why and what to do. */
export class MasterKeyUnusable extends Error {
  override readonly name = 'MasterKeyUnusable';
}

/**
 * The service's master key. A memory store has a key of its own for as long as it lives. Beside a
 * file store the key is made when the store is, and only then: a new key for an existing store
 * would make every secret and signing key in it worthless.
 */
export function readMasterKey(config: Config): Uint8Array {
  const path = masterKeyPath(config);
  if (path === undefined) return randomBytes(masterKeyBytes);
  const site = storeAt(config.store);
  // Looked for before the key: a process on its first start makes the key first and then the store,
  // so whoever sees its store finds its key.
  const storeExists = site.exists();
  if (!existsSync(path)) {
    if (storeExists) {
      throw new MasterKeyUnusable(
        `${path} does not exist, but the store ${site.name} does: put the master key back from your backup`,
      );
    }
    makeMasterKey(path);
  }
  return readStandingKey(path);
}

/** Where the master key of a durable store is; undefined for a store that ends with its process. */
export function masterKeyPath({ store, masterKeyFile }: Config): string | undefined {
  const { keyFolder } = storeAt(store);
  if (keyFolder === undefined) return undefined;
  return process.env['JETWAY_MASTER_KEY_FILE'] || (masterKeyFile ?? join(keyFolder, 'master.key'));
}

function readStandingKey(path: string): Uint8Array {
  try {
    return decode(path, readSecretFile(path, 1024));
  } catch (error) {
    if (error instanceof UnreadableFile) throw new MasterKeyUnusable(`${path} ${error.message}`);
    throw error;
  }
}

function decode(path: string, text: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), 'base64url');
  if (bytes.length !== masterKeyBytes || bytes.toString('base64url') !== text.trim()) {
    throw new MasterKeyUnusable(`${path} is not a master key: expected 43 base64url characters`);
  }
  return bytes;
}

/**
 * Two processes that start at once must end with one key, and neither may read half of it: the
 * file is written whole under another name and then linked, which fails where one stands already.
 * The other name is drawn at random: in containers every process may have the same number.
 */
function makeMasterKey(path: string): void {
  makeFolder(dirname(path), 0o700);
  const draft = `${path}.${randomKey(6)}.new`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    // A umask may have taken from its owner as well.
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, `${randomKey(masterKeyBytes)}\n`);
    fsyncSync(descriptor);
    linkSync(draft, path);
  } catch (error) {
    // Another process was faster; its key is the one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(draft);
  }
  synchronise(dirname(path));
}

/** A store must not outlive a power cut that its key did not. */
function synchronise(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
