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

  test('prints a sheet for people that says it is shown once', async (t) => {
    const { code, stdout, stderr } = await jetway(workFolder(t), [
      ...add,
      ...callback,
      '--role',
      'member',
    ]);
    assert.deepEqual([code, stderr], [0, '']);
    const masked = stdout
      .replace(/(client secret {9})[\w-]{43}\n/, '$1SECRET\n')
      .replace(/(API key {15}jw_staging_)[\w-]{43}\n/, '$1KEY\n')
      .replaceAll(/partnerapi-\d{5}/g, 'partnerapi-NNNNN')
      .replace(/(created {15})\S+Z\n/, '$1TIME\n');
    assert.equal(
      masked,
      `Client partnerapi-NNNNN is added to club (staging).
Its secret and API key are shown this once; no verb can show them again.

  client identifier     partnerapi-NNNNN
  client secret         SECRET
  API key               jw_staging_KEY
  programme identifier  Club
  name                  Blue Cars
  roles                 member
  redirect URIs         https://blue.example/cb
  created               TIME
`,
    );
  });

  test('takes an identifier and a secret that exist already', async (t) => {
    const folder = workFolder(t);
    const given = [...add, '--role', 'partner', '--secret-stdin', '--client-id'];
    const added = await jetway(
      folder,
      [...given, 'partnerapi-00042', '--json'],
      'pässword: with +%\r\n',
    );
    assert.deepEqual([added.code, added.stderr], [0, '']);
    assert.equal((JSON.parse(added.stdout) as Added).client_secret, 'pässword: with +%');
    const taken = await jetway(folder, [...given, 'partnerapi-00042'], 'another-long-secret');
    assert.deepEqual(taken, {
      code: 1,
      stdout: '',
      stderr:
        'the client identifier "partnerapi-00042" is taken in club, or was before: identifiers are given out once\n',
    });
  });

  test('warns of a short secret and of a client without roles, on standard error alone', async (t) => {
    const ran = await jetway(workFolder(t), [...add, '--secret-stdin', '--json'], 'hunter2\n');
    assert.equal(ran.code, 0);
    assert.equal((JSON.parse(ran.stdout) as Added).client_secret, 'hunter2');
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      'warning: the secret has 7 characters; with fewer than 16 it can be guessed',
      'warning: the client has no role: every grant is refused until it is given one (--role)',
    ]);
  });

  test('names everything that is wrong at once, and makes nothing', async (t) => {
    const folder = workFolder(t);
    const ran = await jetway(folder, [
      ...add.slice(0, -1),
      ' ',
      ...'--role member --business-context Cars2 --partner-id short'.split(' '),
      ...'--throttle-limit 1e3 --throttle-window 1 --client-id partnerapi-42'.split(' '),
      ...'--redirect-uri javascript:alert(1) /cb'.split(' '),
    ]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      '--client-id "partnerapi-42" is no identifier of club: expected "partnerapi-" and 5 digits',
      '--name must be 1 to 200 characters that can be seen',
      `--redirect-uri "javascript:alert(1)" has the scheme "javascript:": only https:, http: on loopback, and an app's own reverse-domain scheme are allowed`,
      '--redirect-uri "/cb" is not an absolute URI with a lower-case scheme',
      '--business-context must be 1 to 50 letters, not "Cars2"',
      '--partner-id must be 8 to 20 letters and digits, not "short"',
      '--throttle-limit must be a number from 1 to 1000000, not "1e3"',
      '--throttle-window must be a duration of at least 1s, such as 1m, not "1"',
    ]);
    assert.deepEqual(readdirSync(folder).toSorted(), ['config.yaml', 'programmes']);
  });

  const secrets = [
    ['an empty line', '\n', 'the secret on standard input is empty'],
    [
      'two lines',
      'one\ntwo\n',
      'standard input holds more than one line: it must be the secret alone',
    ],
    ['a control character', 'a\tb', 'the secret on standard input holds control characters'],
    ['what is no UTF-8', Buffer.from([0xe4, 0x62]), 'the secret on standard input is not UTF-8'],
  ] as const;
  for (const [what, input, message] of secrets) {
    test(`refuses ${what} as a secret`, async (t) => {
      const ran = await jetway(workFolder(t), [...add, '--secret-stdin'], input);
      assert.deepEqual(ran, { code: 2, stdout: '', stderr: `${message}\n` });
    });
  }

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
    await Promise.all(all.map((id) => store.add('client', [{ ...first, id: id as ClientId }])));
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
