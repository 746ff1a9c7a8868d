// Owns the files that a PostgreSQL store needs: its password, and what is wrong with any of them.

import { positionAt } from '../lib/document.ts';
import { errorAt, type Fault } from '../lib/fault.ts';
import { readSecretFile, UnreadableFile } from '../lib/read_file.ts';
import { storeAt, type StoreLocation } from '../store/open.ts';
import { StoreUnusable, MasterKeyUnusable } from '../store/unusable.ts';
import type { Config } from './config.ts';
import { readMasterKey } from './master_key.ts';
import { readAuthorities } from './tls.ts';

/** Overrides `store_password_file`. */
const variable = 'JETWAY_STORE_PASSWORD_FILE';

/**
 * Reads the password of the store, anew at each call: whoever rotates it replaces the file. Undefined
 * where none is configured, as for a server that asks a socket's other end who it is.
 * @throws StoreUnusable from the function, where the file cannot be used (HOSTILE 56)
 */
export function storePassword(
  store: StoreLocation,
  named: string | undefined,
): (() => string) | undefined {
  if (store.kind !== 'postgres') return undefined;
  const path = process.env[variable] || named;
  return path === undefined ? undefined : () => readPassword(path, store);
}

function readPassword(path: string, store: StoreLocation): string {
  const unusable = (reason: string): StoreUnusable =>
    new StoreUnusable(
      `the password of the store ${storeAt(store).name} cannot be used: ${path} ${reason}`,
      `mend the file, or name another (store_password_file, ${variable})`,
    );
  try {
    // Editors and echo end a line; a password itself may begin or end with spaces.
    const password = readSecretFile(path, 1024).replace(/\r?\n$/, '');
    if (/^[^\0\r\n]+$/.test(password)) return password;
  } catch (error) {
    throw error instanceof UnreadableFile ? unusable(error.message) : error;
  }
  throw unusable('has no password: expected one line');
}

/** What is wrong with the files that a PostgreSQL store needs, each at the key that names it. */
export function storeFaults(config: Config): readonly Fault[] {
  const { store, storePasswordFile, document } = config;
  if (store.kind !== 'postgres') return [];
  const { sslrootcert } = store;
  const readers: Readonly<Record<string, () => unknown>> = {
    store: () => sslrootcert !== undefined && readAuthorities(sslrootcert),
    store_password_file: () => storePassword(store, storePasswordFile)?.(),
    master_key_file: () => readMasterKey(config),
  };
  return Object.entries(readers).flatMap(([key, read]) => {
    try {
      read();
      return [];
    } catch (error) {
      return [errorAt(positionAt(document, [key]), [key], reasonOf(error, sslrootcert))];
    }
  });
}

function reasonOf(error: unknown, authorities: string | undefined): string {
  if (error instanceof StoreUnusable || error instanceof MasterKeyUnusable) return error.message;
  if (!(error instanceof UnreadableFile)) throw error;
  return `sslrootcert: ${authorities} ${error.message}`;
}
