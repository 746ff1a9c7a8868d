// Owns the promises of public clients and of clients that are found by their secret alone, on the command
// line: who gets a secret, and whose secret nobody else may have.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetway, jetwayEach, putSecret, workFolder } from './command.ts';

const head = (name: string): string =>
  `variant: grant\nname: ${name}\nprogramme_identifier: ${name}\nbase_path: /${name.toLowerCase()}\n`;
const files = {
  'programmes/app.yaml': `${head('App')}client: { authentication: { methods: [basic, none], when_both: refuse } }
authorize: { pkce: required }
`,
  'programmes/key.yaml': `${head('Key')}client: { authentication: { methods: [secret] } }\n`,
};

const add = (programme: string, ...more: readonly string[]): readonly string[] => [
  'client',
  'add',
  '--programme',
  programme,
  '--name',
  'A',
  '--json',
  ...more,
];
const login = ['--role', 'member', '--redirect-uri', 'com.example.app:/cb'];

describe('a public client', { concurrency: 2 }, () => {
  test('gets no secret, and can have none', async (t) => {
    const folder = workFolder(t, files);
    const id = ['--client-id', 'partnerapi-00001'];
    const [added, shown, rotated] = await jetwayEach(folder, [
      add('app', '--public', ...login, ...id),
      ['client', 'show', 'partnerapi-00001'],
      ['client', 'rotate-secret', 'partnerapi-00001'],
    ]);
    const told = JSON.parse(added.stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual([told['client_type'], told['client_secret']], ['public', null]);
    assert.match(shown.stdout, /^ *client type +public$/m);
    assert.deepEqual(rotated, {
      code: 1,
      stdout: '',
      stderr: 'client partnerapi-00001 is public: it could not keep a secret, and needs none\n',
    });
  });

  test('is refused where the dialect takes none, and with a secret', async (t) => {
    const folder = workFolder(t, files);
    const [useless, partner] = await jetwayEach(folder, [
      add('key', '--public', ...login),
      add('app', '--public', '--role', 'partner', '--redirect-uri', 'com.example.app:/cb'),
    ]);
    assert.deepEqual([useless.code, useless.stdout], [2, '']);
    assert.match(useless.stderr, /--public is of no use: key takes no public clients/);
    assert.match(partner.stderr, /no grant of app is for public clients of the role partner/);
    const given = await jetway(
      folder,
      [...add('app', '--public', ...login), '--secret-stdin'],
      'x',
    );
    assert.deepEqual([given.code, given.stdout], [2, '']);
  });

  test('is imported without a secret, and no other client is', async (t) => {
    const folder = workFolder(t, files);
    const header = 'client_id,client_type,client_secret,name,roles,redirect_uris\n';
    putSecret(
      folder,
      'good.csv',
      `${header}partnerapi-00001,public,,A,member,com.example.app:/cb\n`,
    );
    const rows = ['public,a-secret-0123456789', ',', 'private,'].map(
      (cells, index) => `partnerapi-0001${index},${cells},A,member,com.example.app:/cb\n`,
    );
    putSecret(folder, 'bad.csv', header + rows.join(''));
    const load = ['client', 'import', '--programme', 'app'];
    const [good, bad] = await jetwayEach(folder, [
      [...load, 'good.csv'],
      [...load, 'bad.csv'],
    ]);
    assert.deepEqual([good.code, good.stderr], [0, '']);
    const faults = bad.stderr.split('\n').filter((line) => line.startsWith('bad.csv'));
    assert.deepEqual(
      faults.map((line) => line.replace(/^bad.csv:(\d+):\d+: error: /, '$1 ')),
      [
        '2 a public client can have no client_secret',
        '3 this client has no client_secret',
        '4 this client has no client_secret',
        '4 client_type: "private" must be public or confidential',
      ],
    );
  });
});

describe('a client that is found by its secret', () => {
  test('has one that no other client of the programme has', async (t) => {
    const folder = workFolder(t, files);
    const secret = 'a-secret-of-some-length';
    const stdin = ['--role', 'partner', '--secret-stdin'];
    const one = await jetway(
      folder,
      add('key', ...stdin, '--client-id', 'partnerapi-00001'),
      secret,
    );
    const two = await jetway(folder, add('key', ...stdin), secret);
    const other = await jetway(folder, add('app', ...stdin), secret);
    assert.deepEqual([one.code, two.code, other.code], [0, 1, 0]);
    const taken = 'another client of key has that secret, by which it is found: make a new one\n';
    assert.deepEqual([two.stdout, two.stderr], ['', taken]);
    await jetway(folder, add('key', '--role', 'partner', '--client-id', 'partnerapi-00002'));
    const rotate = ['client', 'rotate-secret', 'partnerapi-00002', '--secret-stdin'];
    const rotated = await jetway(folder, rotate, secret);
    assert.deepEqual([rotated.code, rotated.stderr], [1, taken]);
    putSecret(
      folder,
      'clients.csv',
      `client_id,client_secret,name\npartnerapi-00003,${secret},A\npartnerapi-00004,twice-0123456789,A\npartnerapi-00005,twice-0123456789,A\n`,
    );
    const loaded = await jetway(folder, ['client', 'import', '--programme', 'key', 'clients.csv']);
    assert.equal(loaded.code, 2);
    assert.match(
      loaded.stderr,
      /clients\.csv:4:18: error: this client_secret is in line 3 already/,
    );
    assert.doesNotMatch(loaded.stderr, /twice-0123456789/);
  });
});
