// HOSTILE 82: what alone names its client is not taken short, unless told so for this client, loudly.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetway, jetwayJson, programmeText, putSecret, workFolder } from './command.ts';

const files = {
  'programmes/club.yaml': programmeText('Club'),
  'programmes/key.yaml': programmeText('Key').replace('credentials: form', 'methods: [secret]'),
};
const long = 'a-key-of-16-chars';
const asLong = 'exactly-16-chars';

function load(programme: string, file: string): string[] {
  return ['client', 'import', '--programme', programme, file];
}

/** The faults of a file, without its name. */
function faultsOf(stderr: string): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('clients.'));
  return lines.map((line) => line.replace(/^clients\.(?:csv|yaml):/, ''));
}

describe('keys of fewer than 16 characters', () => {
  test('HOSTILE 82: an import refuses a short API key at its place, and nothing of the file is there', async (t) => {
    const folder = workFolder(t, files);
    const header = 'client_id,client_secret,api_key,name,roles\n';
    const row = (n: number, secret: string, key: string): string =>
      `partnerapi-0000${n},${secret},${key},A,partner\n`;
    putSecret(
      folder,
      'clients.csv',
      header + row(1, `${long}-1`, asLong) + row(2, `${long}-2`, '7'),
    );
    const refused = await jetway(folder, load('club', 'clients.csv'));
    assert.equal(refused.code, 2);
    assert.deepEqual(faultsOf(refused.stderr), [
      "3:38: error: this api_key has only 1 character: whoever guesses it is this client (give it 16 characters or more, as Jetway's have, or allow it for this client: insecure_short: api_key)",
    ]);
    assert.deepEqual(await jetwayJson(folder, ['client', 'list', '--json']), []);
  });

  test('HOSTILE 82: a row that says so is imported, with a warning; a secret beside an identifier is only warned of', async (t) => {
    const folder = workFolder(t, files);
    putSecret(
      folder,
      'clients.yaml',
      `- { client_id: partnerapi-00001, client_secret: hunter2, api_key: "7", insecure_short: [api_key], name: A, roles: [partner] }
- { client_id: partnerapi-00002, client_secret: hunter3, api_key: "fifteen-letters", insecure_short: [api_key], name: A, roles: [partner] }
`,
    );
    const taken = await jetway(folder, load('club', 'clients.yaml'));
    assert.equal(taken.code, 0);
    const weak = 'warning: the secret has 7 characters; with fewer than 16 it can be guessed';
    const insecure = (count: string): string =>
      `warning: INSECURE: the API key has only ${count}: whoever guesses it is this client`;
    assert.deepEqual(faultsOf(taken.stderr), [
      `1:49: ${weak}`,
      `1:67: ${insecure('1 character')}`,
      `2:49: ${weak}`,
      `2:67: ${insecure('15 characters')}`,
    ]);
    putSecret(
      folder,
      'clients.yaml',
      `- { client_id: partnerapi-00003, client_secret: ${long}, insecure_short: all, name: A, roles: [partner] }\n`,
    );
    const wrong = await jetway(folder, load('club', 'clients.yaml'));
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /insecure_short: "all" must be client_secret or api_key, not "all"/);
  });

  test('HOSTILE 82: where the secret alone names the client, imports, add and rotate-secret refuse a short one', async (t) => {
    const folder = workFolder(t, files);
    const header = 'client_id,client_secret,insecure_short,name,roles\n';
    putSecret(folder, 'clients.csv', `${header}partnerapi-00001,hunter2,,A,partner\n`);
    const imported = await jetway(folder, load('key', 'clients.csv'));
    assert.equal(imported.code, 2);
    assert.match(
      imported.stderr,
      /clients\.csv:2:18: error: this client_secret has only 7 characters/,
    );
    putSecret(folder, 'clients.csv', `${header}partnerapi-00001,hunter2,client_secret,A,partner\n`);
    const told = await jetway(folder, load('key', 'clients.csv'));
    assert.equal(told.code, 0);
    assert.match(
      told.stderr,
      /clients\.csv:2:18: warning: INSECURE: the secret has only 7 characters/,
    );

    const stdin = ['--secret-stdin', '--json'];
    const add = [
      'client',
      'add',
      '--programme',
      'key',
      '--name',
      'B',
      '--role',
      'partner',
      ...stdin,
    ];
    const rotate = ['client', 'rotate-secret', 'partnerapi-00001', '--overlap', '0s', ...stdin];
    for (const [n, verb] of [add, rotate].entries()) {
      const secret = `short-${n}`;
      const refused = await jetway(folder, verb, secret);
      assert.deepEqual([refused.code, refused.stdout], [2, '']);
      assert.match(
        refused.stderr,
        /the secret has only 7 characters: whoever guesses it is this client; give it 16 characters or more, as Jetway's have, or allow it: --insecure-short-secret/,
      );
      const allowed = await jetway(folder, [...verb, '--insecure-short-secret'], secret);
      assert.equal(allowed.code, 0);
      assert.match(allowed.stderr, /^warning: INSECURE: the secret has only 7 characters/m);
      const long16 = await jetway(folder, verb, `exactly-16-char${n}`);
      assert.deepEqual([long16.code, long16.stderr], [0, '']);
    }
  });

  test('C-5: where an identifier stands beside the secret, a short one is taken with a warning, as before', async (t) => {
    const folder = workFolder(t, files);
    const add = 'client add --programme club --name B --role partner --secret-stdin'.split(' ');
    const added = await jetway(folder, add, 'hunter2');
    assert.equal(added.code, 0);
    const weak = 'warning: the secret has 7 characters; with fewer than 16 it can be guessed\n';
    assert.equal(added.stderr, weak);
  });
});
