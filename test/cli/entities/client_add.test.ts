// Owns the promises of `client add`: what a partner is given (C-5), and what is kept of it.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { readConfig } from '../../../src/config/config.ts';
import { readMasterKey } from '../../../src/config/master_key.ts';
import type { ClientId, ProgrammeId } from '../../../src/oauth/client.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { createKeyring } from '../../../src/token/keyring.ts';
import { jetway, jetwayJson, programmeText, workFolder } from '../command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'Blue Cars'];
const callback = ['--redirect-uri', 'https://blue.example/cb'];
const key = /^[A-Za-z0-9_-]{43}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

interface Added {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly created_at: string;
}

describe('client add', { concurrency: 2 }, () => {
  test('prints everything a partner needs, once, and keeps digests alone', async (t) => {
    const folder = workFolder(t);
    // Held open, so that what the command wrote is still in the log.
    const { store, keyring } = openStore(folder);
    const added = (await jetwayJson(folder, [
      ...add,
      ...'--redirect-uri https://blue.example/cb com.blue.app:/cb --role member'.split(' '),
      ...'--role partner --business-context Cars --partner-id Blue12345'.split(' '),
      ...'--throttle-limit 5 --throttle-window 60s'.split(' '),
    ])) as Added;
    const { client_id, client_secret, api_key, created_at, ...rest } = added;
    assert.match(client_id, /^partnerapi-\d{5}$/);
    assert.match(client_secret, key);
    assert.match(api_key, /^jw_staging_[A-Za-z0-9_-]{43}$/);
    assert.match(created_at, time);
    assert.deepEqual(rest, {
      programme: 'club',
      programme_identifier: 'Club',
      environment: 'staging',
      name: 'Blue Cars',
      status: 'active',
      roles: ['member', 'partner'],
      redirect_uris: ['https://blue.example/cb', 'com.blue.app:/cb'],
      business_context: 'Cars',
      partner_id: 'Blue12345',
      throttle: { limit: 5, window: '1m' },
      properties: {},
      origins: null,
      certificates: [],
      certificate_subject: null,
      client_type: 'confidential',
      jwks: null,
    });
    assertNowhere(folder, [client_secret, api_key]);
    const kept = await store.find('client', 'club' as ProgrammeId, client_id as ClientId);
    await store.close();
    assert.equal(kept?.secrets[0]?.digest, keyring.secretDigest(client_secret));
    assert.equal(kept?.apiKeys[0]?.digest, keyring.secretDigest(api_key));
  });

  test('makes store and master key, readable by their owner alone', async (t) => {
    const folder = workFolder(t);
    await jetwayJson(folder, [...add, ...callback, '--role', 'member']);
    const data = join(folder, 'data');
    const audit = ['audit.jsonl', 'audit.jsonl.lock'];
    assert.deepEqual(readdirSync(data).toSorted(), [...audit, 'jetway.db', 'master.key']);
    for (const [path, mode] of [
      [data, 0o700],
      [join(data, 'jetway.db'), 0o600],
      [join(data, 'master.key'), 0o600],
      ...audit.map((name) => [join(data, name), 0o600] as const),
    ] as const) {
      assert.equal(statSync(path).mode & 0o777, mode, path);
    }
  });

  test('refuses what is no UTF-8 as a secret', async (t) => {
    const input = Buffer.from([0xe4, 0x62]);
    const ran = await jetway(workFolder(t), [...add, '--secret-stdin'], input);
    const stderr = 'the secret on standard input is not UTF-8\n';
    assert.deepEqual(ran, { code: 2, stdout: '', stderr });
  });

  test('gives up on identifiers, in words, when a programme has run out of them', async (t) => {
    const folder = workFolder(t, {
      'programmes/few.yaml': programmeText(
        'Few',
        '  identifier: { prefix: x, characters: digits, length: 4 }\n',
      ),
    });
    const seed = ['client', 'add', '--programme', 'few', '--name', 'A', '--role', 'partner'];
    await jetwayJson(folder, seed);
    const { store } = openStore(folder);
    const [first] = await store.list('client', 'few' as ProgrammeId);
    assert.ok(first);
    const all = Array.from({ length: 10_000 }, (_, n) => `x${String(n).padStart(4, '0')}`);
    const others = all.filter((id) => id !== first.id);
    assert.deepEqual(
      await store.add(
        'client',
        others.map((id) => ({ ...first, id: id as ClientId })),
      ),
      [],
    );
    await store.close();
    const ran = await jetway(folder, seed);
    assert.deepEqual([ran.code, ran.stdout], [1, '']);
    assert.match(ran.stderr, /^no free client identifier was found in 200 tries: few has too few/);
  });
});

function openStore(folder: string): {
  store: ReturnType<typeof openFileStore>;
  keyring: ReturnType<typeof createKeyring>;
} {
  const config = readConfig(join(folder, 'config.yaml'));
  const keyring = createKeyring(readMasterKey(config));
  const path = join(folder, 'data/jetway.db');
  return { store: openFileStore({ path, environment: 'staging' }), keyring };
}

/** No file of the data folder, log included, holds one of the texts. */
function assertNowhere(folder: string, texts: readonly string[]): void {
  const names = readdirSync(join(folder, 'data'));
  assert.ok(names.includes('jetway.db-wal'));
  for (const name of names) {
    const bytes = readFileSync(join(folder, 'data', name));
    for (const text of texts) assert.ok(!bytes.includes(text), `${name} holds a secret`);
  }
}
