// Owns the promises of the files that a PostgreSQL store needs: its password, and a master key that is
// never made by itself.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { type Config, readConfig } from '../../src/config/config.ts';
import { readMasterKey } from '../../src/config/master_key.ts';
import { storeFaults, storePassword } from '../../src/config/store_files.ts';
import { FaultsError } from '../../src/lib/fault.ts';
import { StoreUnusable, MasterKeyUnusable } from '../../src/store/unusable.ts';
import { masterKeyBytes } from '../../src/token/keyring.ts';
import { scratchFolder } from '../support/scratch.ts';

const url = 'postgres://jetway@db.example/airline';

function site(t: TestContext, more = ''): { readonly folder: string; readonly config: Config } {
  const folder = scratchFolder(t, 'store-files');
  const path = join(folder, 'config.yaml');
  writeFileSync(
    path,
    `environment: staging\npublic_url: https://tokens.example\nstore: ${url}\n${more}`,
  );
  return { folder, config: readConfig(path) };
}

function passwordOf({ store, storePasswordFile }: Config): string | undefined {
  return storePassword(store, storePasswordFile)?.();
}

describe('the password of a store', () => {
  const named = 'store_password_file: ./store.password\n';

  test('is read at each call, so that it can be rotated', (t) => {
    const { folder, config } = site(t, named);
    const path = join(folder, 'store.password');
    const password = storePassword(config.store, config.storePasswordFile);
    writeFileSync(path, ' first one \n', { mode: 0o600 });
    assert.equal(password?.(), ' first one ');
    writeFileSync(path, 'second');
    assert.equal(password?.(), 'second');
  });

  test('is where the environment says before where the configuration says; there may be none', (t) => {
    const { folder, config } = site(t, named);
    writeFileSync(join(folder, 'other'), 'from the environment\n', { mode: 0o600 });
    process.env['JETWAY_STORE_PASSWORD_FILE'] = join(folder, 'other');
    try {
      assert.equal(passwordOf(config), 'from the environment');
      assert.equal(storePassword({ kind: 'memory' }, undefined), undefined);
    } finally {
      delete process.env['JETWAY_STORE_PASSWORD_FILE'];
    }
    assert.equal(passwordOf(site(t).config), undefined);
  });

  test('HOSTILE 56: is refused where others can read it, and never told', (t) => {
    const { folder, config } = site(t, named);
    const path = join(folder, 'store.password');
    refused(config, /store\.password does not exist/);
    writeFileSync(path, 'hunter2\n', { mode: 0o600 });
    chmodSync(path, 0o644);
    refused(config, /store\.password can be read by others \(mode 0644\): chmod 600 it/);
    chmodSync(path, 0o600);
    for (const text of ['', '\n', 'hunter2\nhunter3\n']) {
      writeFileSync(path, text);
      refused(config, /store\.password has no password: expected one line/);
    }
  });

  test('belongs to a PostgreSQL store alone', (t) => {
    const path = join(scratchFolder(t, 'store-files'), 'config.yaml');
    const least = 'environment: staging\npublic_url: https://tokens.example\n';
    writeFileSync(path, `${least}store: memory\n${named}`);
    assert.throws(() => readConfig(path), {
      name: FaultsError.name,
      message: `${path}:4:22: error: only a postgres: store has a password`,
    });
  });
});

function refused(config: Config, words: RegExp): void {
  assert.throws(
    () => passwordOf(config),
    (error) => {
      assert.ok(error instanceof StoreUnusable);
      assert.match(error.message, words);
      assert.doesNotMatch(`${error.message} ${error.hint}`, /hunter/);
      return true;
    },
  );
}

describe('the master key of a store that machines share', () => {
  test('is never made by itself', (t) => {
    const { folder, config } = site(t, 'master_key_file: ./master.key\n');
    const path = join(folder, 'master.key');
    assert.throws(() => readMasterKey(config), {
      name: MasterKeyUnusable.name,
      message: `${path} does not exist, and no key is made for a store that many machines share: copy the master key of postgres://jetway@db.example:5432/airline there, or, where the store is new, make one (openssl rand -base64 32 | tr +/ -_ | tr -d =)`,
    });
    assert.equal(existsSync(path), false);
    const key = Buffer.alloc(masterKeyBytes, 7);
    writeFileSync(path, `${key.toString('base64url')}\n`, { mode: 0o600 });
    assert.deepEqual(readMasterKey(config), key);
  });

  test('has to be named', (t) => {
    assert.throws(() => readMasterKey(site(t).config), {
      name: MasterKeyUnusable.name,
      message:
        'the store postgres://jetway@db.example:5432/airline needs the master key that all of its machines share: name its file (master_key_file, JETWAY_MASTER_KEY_FILE)',
    });
  });
});

test('every fault of these files is found at once, at the key that names the file', (t) => {
  const keys = 'master_key_file: ./master.key\nstore_password_file: ./store.password\n';
  const { folder, config } = site(t, keys);
  const { store } = config;
  assert.ok(store.kind === 'postgres');
  const authorities = join(folder, 'ca.pem');
  const unverified = { ...config, store: { ...store, sslrootcert: authorities } };
  const found = storeFaults(unverified).map(({ path, at, message }) => [path, at.line, message]);
  assert.deepEqual(
    found.map(([path, line]) => [path, line]),
    [
      ['store', 3],
      ['store_password_file', 5],
      ['master_key_file', 4],
    ],
  );
  assert.equal(found[0]?.[2], `sslrootcert: ${authorities} does not exist`);
  writeFileSync(join(folder, 'store.password'), 'hunter2', { mode: 0o600 });
  writeFileSync(join(folder, 'master.key'), Buffer.alloc(32).toString('base64url'), {
    mode: 0o600,
  });
  assert.deepEqual(storeFaults(config), []);
  rmSync(join(folder, 'master.key'));
  assert.deepEqual(storeFaults({ ...config, store: { kind: 'memory' } }), []);
});
