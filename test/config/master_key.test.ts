// Owns the promises of the master key file: made once, its owner's alone, never made anew beside a
// store that needs the old one.

import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import type { Config } from '../../src/config/config.ts';
import { usualLog } from '../../src/config/log_keys.ts';
import { readMasterKey } from '../../src/config/master_key.ts';
import { milliseconds } from '../../src/lib/clock.ts';
import { MasterKeyUnusable } from '../../src/store/unusable.ts';
import { masterKeyBytes } from '../../src/token/keyring.ts';
import { startChild } from '../store/children.ts';
import { scratchFolder } from '../support/scratch.ts';

describe('master key', () => {
  test('is made beside the store on first use, and is the same from then on', (t) => {
    const { folder, config } = fresh(t);
    const key = readMasterKey(config);
    const path = join(folder, 'data/master.key');
    assert.equal(key.length, masterKeyBytes);
    assert.equal(readFileSync(path, 'utf8'), `${Buffer.from(key).toString('base64url')}\n`);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'data')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(folder, 'data')), ['master.key']);
    assert.deepEqual(readMasterKey(config), key);
  });

  test('of a memory store is new each time and leaves no file', (t) => {
    const { folder, config } = fresh(t);
    const memory: Config = { ...config, store: { kind: 'memory' } };
    assert.notDeepEqual(readMasterKey(memory), readMasterKey(memory));
    assert.deepEqual(readdirSync(folder), []);
  });

  test('is where the configuration says, and where the environment says before that', (t) => {
    const { folder, config } = fresh(t);
    const named = { ...config, masterKeyFile: join(folder, 'keys/named.key') };
    const key = readMasterKey(named);
    assert.deepEqual(readdirSync(join(folder, 'keys')), ['named.key']);
    process.env['JETWAY_MASTER_KEY_FILE'] = join(folder, 'env.key');
    t.after(() => {
      delete process.env['JETWAY_MASTER_KEY_FILE'];
    });
    assert.notDeepEqual(readMasterKey(named), key);
    assert.deepEqual(readdirSync(folder).toSorted(), ['env.key', 'keys']);
  });

  test('is not made anew beside a store that has lost it', (t) => {
    const { folder, config } = fresh(t);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/jetway.db'), '');
    assert.throws(
      () => readMasterKey(config),
      unusable(
        /master\.key does not exist, but the store .*jetway\.db does: put the master key back/,
      ),
    );
    assert.deepEqual(readdirSync(join(folder, 'data')), ['jetway.db']);
  });

  for (const mode of [0o644, 0o620, 0o604, 0o660]) {
    test(`is refused with mode ${mode.toString(8)}`, (t) => {
      const { folder, config } = fresh(t);
      readMasterKey(config);
      chmodSync(join(folder, 'data/master.key'), mode);
      const words = new RegExp(
        `can be read by others \\(mode 0${mode.toString(8)}\\): chmod 600 it`,
      );
      assert.throws(() => readMasterKey(config), unusable(words));
    });
  }

  test('HOSTILE 56: a credential of systemd may show the mask of its access list, and nothing more', (t) => {
    const { folder, config } = fresh(t);
    const key = readMasterKey(config);
    const path = join(folder, 'data/master.key');
    process.env['CREDENTIALS_DIRECTORY'] = join(folder, 'data');
    t.after(() => {
      delete process.env['CREDENTIALS_DIRECTORY'];
    });
    // A group of this process may read what is root's, credential or not.
    if (process.getuid?.() === 0) chownSync(path, 0, 54_321);
    chmodSync(path, 0o440);
    assert.deepEqual(readMasterKey(config), key);
    chmodSync(path, 0o444);
    assert.throws(() => readMasterKey(config), unusable(/can be read by others \(mode 0444\)/));
    chmodSync(path, 0o440);
    process.env['CREDENTIALS_DIRECTORY'] = join(folder, 'dat');
    assert.throws(() => readMasterKey(config), unusable(/can be read by others \(mode 0440\)/));
  });

  const damaged = [
    ['empty', ''],
    ['too short', 'c2hvcnQ\n'],
    ['not base64url', `${'!'.repeat(43)}\n`],
    ['with bits that mean nothing', `${'A'.repeat(42)}B\n`],
    ['two keys', `${'A'.repeat(43)}\n${'A'.repeat(43)}\n`],
    ['far too long', 'A'.repeat(2000)],
  ] as const;
  for (const [what, content] of damaged) {
    test(`is refused when it is ${what}`, (t) => {
      const { folder, config } = fresh(t);
      mkdirSync(join(folder, 'data'));
      writeFileSync(join(folder, 'data/master.key'), content, { mode: 0o600 });
      const words = /master\.key (?:is not a master key|is larger than 1024 bytes)/;
      assert.throws(() => readMasterKey(config), unusable(words));
      assert.equal(readFileSync(join(folder, 'data/master.key'), 'utf8'), content);
    });
  }

  test('may be a link to a file, as secrets are mounted; a link to nothing is no key', (t) => {
    const { folder, config } = fresh(t);
    mkdirSync(join(folder, 'data'));
    const target = join(folder, 'mounted');
    writeFileSync(target, `${'A'.repeat(43)}\n`, { mode: 0o600 });
    symlinkSync(target, join(folder, 'data/master.key'));
    assert.deepEqual(readMasterKey(config), Buffer.alloc(masterKeyBytes));
    rmSync(target);
    assert.throws(() => readMasterKey(config), unusable(/master\.key does not exist/));
    assert.deepEqual(readdirSync(join(folder, 'data')), ['master.key']);
  });

  test('FAULTS 9: is one for two processes that start for the first time at once', async (t) => {
    const { folder } = fresh(t);
    const [one, other] = [await startChild(), await startChild()];
    t.after(() => Promise.all([one.kill(), other.kill()]));
    for (let round = 0; round < 20; round++) {
      const place = join(folder, String(round));
      mkdirSync(place);
      const settings =
        'environment: staging\npublic_url: http://a.example\nstore: file:data/jetway.db\n';
      writeFileSync(join(place, 'config.yaml'), settings);
      const keys = await Promise.all([one.ask('start', place), other.ask('start', place)]);
      const kept = readFileSync(join(place, 'data/master.key'), 'utf8').trim();
      assert.deepEqual(keys, [kept, kept]);
      // Of two that close at the same moment, neither may find itself the last, which tidies the log.
      const names = readdirSync(join(place, 'data')).filter((name) => !/-(?:shm|wal)$/.test(name));
      assert.deepEqual(names.toSorted(), ['jetway.db', 'master.key']);
    }
  });
});

function fresh(t: TestContext): { readonly folder: string; readonly config: Config } {
  const folder = scratchFolder(t, 'key');
  const config: Config = {
    environment: 'staging',
    listen: { host: '127.0.0.1', port: 0 },
    publicUrl: 'https://tokens.example',
    programmes: join(folder, 'programmes'),
    store: { kind: 'file', path: join(folder, 'data/jetway.db') },
    trustedProxies: [],
    jwksNetworks: [],
    workers: 1,
    document: { kind: 'map', at: { file: '', line: 1, column: 1 }, entries: new Map() },
    control: 'jetway.control',
    watchProgrammes: true,
    log: usualLog,
    stopDelay: milliseconds(0),
  };
  return { folder, config };
}

function unusable(words: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof MasterKeyUnusable && words.test(error.message);
}
