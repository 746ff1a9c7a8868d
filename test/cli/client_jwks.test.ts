// Owns the promises of clients' public keys on the command line: what is taken, shown and refused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ClientKey } from '../../src/oauth/client_certificate.ts';
import { keySet, registered, testKey } from '../support/assertions.ts';
import { jetwayEach, putSecret, workFolder } from './command.ts';

const key = testKey();
const files = {
  'programmes/bank.yaml': `variant: grant
name: Bank
programme_identifier: Bank
base_path: /bank
client: { authentication: { methods: [private_key_jwt] } }
token_endpoints: { grant: { inputs: { client_assertion: {}, client_assertion_type: {} } } }
`,
  'programmes/basic.yaml':
    'variant: grant\nname: Basic\nprogramme_identifier: Basic\nbase_path: /basic\n',
  'keys.json': keySet(key),
  'private.json': JSON.stringify(key.privateKey.export({ format: 'jwk' })),
  'shared.json': '{"keys":[{"kty":"oct","k":"AAAA"}]}',
};
const id = 'partnerapi-00001';
const url = 'https://partner.example/keys';

const add = (programme: string, ...more: readonly string[]): readonly string[] => [
  'client',
  'add',
  '--programme',
  programme,
  '--name',
  'A',
  '--role',
  'partner',
  '--json',
  ...more,
];

function jwksIn(stdout: string): unknown {
  return (JSON.parse(stdout) as Readonly<Record<string, unknown>>)['jwks'];
}

describe('public keys of a client', { concurrency: 2 }, () => {
  test('are taken from a file or by their address, shown by thumbprint, and taken away', async (t) => {
    const folder = workFolder(t, files);
    const [added, shown, moved, emptied, gone] = await jetwayEach(folder, [
      add('bank', '--client-id', id, '--jwks', 'keys.json'),
      ['client', 'show', id],
      ['client', 'set', id, '--jwks', url, '--json'],
      ['client', 'set', id, '--no-jwks'],
      ['client', 'set', id, '--no-jwks', '--incomplete', '--json'],
    ]);
    const told = JSON.parse(added.stdout) as Readonly<Record<string, unknown>>;
    const [{ thumbprint, kid = '' }] = registered(key) as readonly [ClientKey];
    assert.deepEqual(
      [told['client_secret'], told['jwks']],
      [null, [{ thumbprint, kid, type: 'P-256', last_used_at: null }]],
    );
    assert.match(
      shown.stdout,
      new RegExp(`assertion keys +${thumbprint}, kid key-1, P-256, never used`),
    );
    assert.deepEqual(jwksIn(moved.stdout), { url, last_used_at: null });
    assert.match(emptied.stderr, /^--jwks is missing: bank proves assertions by it/);
    assert.equal(jwksIn(gone.stdout), null);
  });

  test('are refused where they are private, symmetric, absent or anywhere but at an https address', async (t) => {
    const folder = workFolder(t, files);
    const cases = [
      ['private.json', /--jwks "private\.json" holds a private key/],
      ['shared.json', /--jwks "shared\.json" holds a symmetric key/],
      ['none.json', /--jwks "none\.json" /],
      ['http://partner.example/keys', /must be a file or an https address/],
      ['https://a:b@partner.example/keys', /must hold no credentials/],
    ] as const;
    const ran = await jetwayEach(
      folder,
      cases.map(([given]) => add('bank', '--jwks', given)),
    );
    for (const [index, [given, expected]] of cases.entries()) {
      assert.equal(ran[index]?.code, 2, given);
      assert.match(ran[index]?.stderr ?? '', expected);
      assert.doesNotMatch(ran[index]?.stderr ?? '', /"d"|AAAA/);
    }
  });

  test('are needed where assertions are the only proof, and of no use where none are taken', async (t) => {
    const folder = workFolder(t, files);
    putSecret(
      folder,
      'in.csv',
      `client_id,client_secret,name,roles,jwks\n${id},,A,partner,keys.json\n`,
    );
    const [bare, idle, imported] = await jetwayEach(folder, [
      add('bank'),
      add('basic', '--jwks', 'keys.json'),
      ['client', 'import', 'in.csv', '--programme', 'bank'],
    ]);
    assert.deepEqual(
      [bare.code, bare.stderr],
      [2, '--jwks is missing: bank proves assertions by it (--incomplete allows that)\n'],
    );
    assert.match(idle.stderr, /--jwks is of no use: basic does not take private_key_jwt/);
    assert.equal(imported.code, 0, imported.stderr);
  });
});
