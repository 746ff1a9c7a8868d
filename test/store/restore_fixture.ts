// Owns a store with something of everything and its backup, for tests of restoring it.

import { test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import type { TokenKeyRecord } from '../../src/oauth/signing_key.ts';
import { backupStore } from '../../src/store/sqlite/care/backup.ts';
import type { RestoreOptions } from '../../src/store/sqlite/care/restore.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { StoreUnusable } from '../../src/store/unusable.ts';
import { scratchFile } from './file_directory.ts';
import {
  aClient,
  aCode,
  aMember,
  addSigningKey,
  aSigningKey,
  at,
  club,
  key,
  loginNamed,
  otherPartner,
} from './fixtures.ts';
import { login } from './login.ts';

export const open = (path: string): FileStore =>
  openFileStore({ path, environment: 'staging', now: at(0) });
export const staging: RestoreOptions = { environment: 'staging' };

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

const tokenKey: TokenKeyRecord = {
  programme: club,
  kid: '7',
  sealedKey: 'sealed',
  createdAt: at(0),
  signsFrom: at(0),
  longestToken: milliseconds(600_000),
};

/** A store with something of everything, and its backup. */
async function makeBackup(path: string, backup: string): Promise<void> {
  const store = open(path);
  await store.add('client', [aClient()]);
  await store.add('client', [aClient({ id: otherPartner })]);
  await store.remove('client', club, otherPartner, at(0));
  await store.add('member', [aMember()]);
  await addSigningKey(store, aSigningKey('kid'));
  await store.changeAll('token_key', { programme: club }, () => [tokenKey]);
  await login(store);
  await store.issueCode(aCode({ key: key('unspent'), transaction: 'login-2' }));
  await store.startLogin(loginNamed('another'));
  await store.time(at(50));
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
