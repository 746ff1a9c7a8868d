// Owns scratch directories with a store file in them, for tests of the file store.

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import type { Store } from '../../src/store/contract.ts';
import { verifyFile } from '../../src/store/sqlite/file/read.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { removeFolder } from '../support/scratch.ts';
import type { OpenStore } from './with_store.ts';

/** A fresh directory, the path of a store file to be in it, and what takes both away again. */
export interface ScratchFile {
  readonly directory: string;
  readonly path: string;
  readonly remove: () => void;
}

export function scratchFile(): ScratchFile {
  const directory = mkdtempSync(join(tmpdir(), 'jetway-store-'));
  const remove = (): void => removeFolder(directory);
  return { directory, path: join(directory, 'data', 'jetway.db'), remove };
}

/** A test that gets the path of a store file to be, and the scratch directory around it. */
export function withFile(
  name: string,
  body: (path: string, directory: string) => Promise<void>,
  skip: string | false = false,
): void {
  test(name, { skip }, async () => {
    const { path, directory, remove } = scratchFile();
    try {
      await body(path, directory);
    } finally {
      remove();
    }
  });
}

/** Executes SQL in the file behind its store's back. */
export function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** A file store in a directory of its own. */
export async function openScratchStore(): Promise<OpenStore & { readonly path: string }> {
  const { path, remove } = scratchFile();
  const opened: FileStore[] = [];
  const another = async (): Promise<Store> => {
    const store = openFileStore({ path, environment: 'staging' });
    opened.push(store);
    return store;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  };
  const reopen = async (): Promise<Store> => {
    await closeAll();
    return another();
  };
  const close = async (): Promise<void> => {
    await closeAll();
    // Whatever a test has done, every row fits its checksum.
    const { damage } = await verifyFile(path);
    remove();
    assert.deepEqual(damage, []);
  };
  const damage: OpenStore['damage'] = async (kind, id) => {
    const database = new DatabaseSync(path);
    const harm = database.prepare(
      `UPDATE registered SET record = replace(record, '"', '~') WHERE kind = ? AND id = ?`,
    );
    assert.equal(harm.run(kind, id).changes, 1);
    database.close();
  };
  return { path, store: await another(), another, reopen, damage, close };
}
