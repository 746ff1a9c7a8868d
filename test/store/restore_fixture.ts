// Owns a store with something of everything and its backup, for tests of restoring it.

import { fileCare } from '../../src/store/sqlite/care.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../src/store/unusable.ts';
import { withFile } from './file_directory.ts';
import { fill } from './fill.ts';
import { at } from './fixtures.ts';

export const open = (path: string): FileStore =>
  openFileStore({ path, environment: 'staging', now: at(0) });

/** A test that gets a store with something of everything, closed, and its backup. */
export function withBackup(
  name: string,
  body: (path: string, backup: string) => Promise<void>,
  skip: string | false = false,
): void {
  const filled = async (path: string, directory: string): Promise<void> => {
    const backup = `${directory}/backup.db`;
    const store = open(path);
    await fill(store);
    await fileCare(path).backup(backup);
    await store.close();
    await body(path, backup);
  };
  withFile(name, filled, skip);
}

/** For `assert.rejects`: an error for operators, with such a message. */
export function isUnusable(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof StoreUnusable && message.test(error.message) && error.hint !== '';
}
