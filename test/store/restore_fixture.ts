// Owns a store with something of everything and its backup, for tests of restoring it.

import { test } from 'node:test';

import type { BackupOptions, RestoreReport, StoreReport } from '../../src/store/care.ts';
import type { Environment } from '../../src/store/contract.ts';
import { fileCare } from '../../src/store/sqlite/care.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../src/store/unusable.ts';
import { scratchFile } from './file_directory.ts';
import { fill } from './fill.ts';
import { at, club } from './fixtures.ts';

export const open = (path: string): FileStore =>
  openFileStore({ path, environment: 'staging', now: at(0) });

interface RestoreOptions {
  readonly environment: Environment;
}
export const staging: RestoreOptions = { environment: 'staging' };

export function backupStore(
  path: string,
  target: string,
  options?: BackupOptions,
): Promise<StoreReport> {
  return fileCare(path).backup(target, options);
}

export function restoreStore(
  backup: string,
  target: string,
  { environment }: RestoreOptions,
): Promise<RestoreReport> {
  return fileCare(target).restore(backup, environment);
}

/** A test that gets a store, closed, and its backup. */
export function withBackup(
  name: string,
  body: (path: string, backup: string) => Promise<void>,
  skip: string | false = false,
): void {
  test(name, { skip }, async () => {
    const { path, directory, remove } = scratchFile();
    try {
      const backup = `${directory}/backup.db`;
      await makeBackup(path, backup);
      await body(path, backup);
    } finally {
      remove();
    }
  });
}

/** A store with something of everything, and its backup. */
async function makeBackup(path: string, backup: string): Promise<void> {
  const store = open(path);
  await fill(store);
  await backupStore(path, backup);
  await store.close();
}

export async function clientsOf(path: string): Promise<unknown> {
  const store = open(path);
  const clients = await store.list('client', club);
  await store.close();
  return clients;
}

/** For `assert.rejects`: an error for operators, with such a message. */
export function isUnusable(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof StoreUnusable && message.test(error.message) && error.hint !== '';
}
