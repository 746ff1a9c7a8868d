// Owns the master key file: made on first start, refused when others can read it or when it is gone.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readSecretFile, UnreadableFile } from '../lib/read_file.ts';
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
  if (config.store.kind === 'memory') return randomBytes(masterKeyBytes);
  const path = masterKeyPath(config.store.path, config.masterKeyFile);
  if (!existsSync(path)) {
    if (existsSync(config.store.path)) {
      throw new MasterKeyUnusable(
        `${path} does not exist, but the store ${config.store.path} does: put the master key back from your backup`,
      );
    }
    return makeMasterKey(path);
  }
  try {
    return decode(path, readSecretFile(path, 1024));
  } catch (error) {
    if (error instanceof UnreadableFile) throw new MasterKeyUnusable(`${path} ${error.message}`);
    throw error;
  }
}

function masterKeyPath(storePath: string, configured: string | undefined): string {
  return (
    process.env['JETWAY_MASTER_KEY_FILE'] ?? configured ?? join(dirname(storePath), 'master.key')
  );
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
 */
function makeMasterKey(path: string): Uint8Array {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  const key = randomBytes(masterKeyBytes);
  const descriptor = openSync(draft, 'wx', 0o600);
  writeSync(descriptor, `${key.toString('base64url')}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  try {
    linkSync(draft, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return decode(path, readSecretFile(path, 1024));
  } finally {
    unlinkSync(draft);
  }
}
