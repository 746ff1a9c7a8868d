// Owns the promises of `client import`: clients arrive with their secrets. What it refuses is in
// clients_verb.session.

import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { jetway, jetwayEach, putSecret, workFolder } from '../command.ts';
import { askClientTokens, serve } from '../server.ts';

const secret = 'an-imported-secret: "ä+%"';
const load = ['client', 'import', '--programme', 'club'];
const list = ['client', 'list', '--json'];

const good = `client_id,client_secret,api_key,name,redirect_uris,roles,business_context,partner_id,throttle_limit,throttle_window,property.plan
partnerapi-00001,"${secret.replaceAll('"', '""')}",an-imported-api-key,"Blue, Cars","https://blue.example/cb
a.b:/cb",member partner,Cars,Blue12345,5,60s,gold
partnerapi-00002,another-imported-secret,,Red,,partner,,,,,
`;

const goodYaml = `- client_id: partnerapi-00001
  client_secret: '${secret}'
  api_key: an-imported-api-key
  name: Blue, Cars
  redirect_uris: [https://blue.example/cb, "a.b:/cb"]
  roles: member partner
  business_context: Cars
  partner_id: Blue12345
  throttle: { limit: 5, window: 60s }
  properties: { plan: gold }
- { client_id: partnerapi-00002, client_secret: another-imported-secret, name: Red, roles: [partner], api_key: }
`;

/** What `client list --json` tells, without times. */
function withoutTimes(stdout: string): unknown {
  return JSON.parse(stdout.replaceAll(/"\d{4}-\d\d-\d\dT[^"]*Z"/g, '"TIME"'));
}

const imported = [
  {
    client_id: 'partnerapi-00001',
    programme: 'club',
    name: 'Blue, Cars',
    status: 'active',
    roles: ['member', 'partner'],
    redirect_uris: ['https://blue.example/cb', 'a.b:/cb'],
    business_context: 'Cars',
    partner_id: 'Blue12345',
    throttle: { limit: 5, window: '1m' },
    properties: { plan: 'gold' },
    certificates: [],
    certificate_subject: null,
    client_type: 'confidential',
    jwks: null,
    secrets: [{ created_at: 'TIME', expires_at: null, last_used_at: null }],
    origins: null,
    signing_secrets: [],
    api_keys: [{ created_at: 'TIME', expires_at: null, last_used_at: null }],
    created_at: 'TIME',
  },
  {
    client_id: 'partnerapi-00002',
    programme: 'club',
    name: 'Red',
    status: 'active',
    roles: ['partner'],
    redirect_uris: [],
    business_context: null,
    partner_id: null,
    throttle: null,
    properties: {},
    certificates: [],
    certificate_subject: null,
    client_type: 'confidential',
    jwks: null,
    secrets: [{ created_at: 'TIME', expires_at: null, last_used_at: null }],
    origins: null,
    signing_secrets: [],
    api_keys: [],
    created_at: 'TIME',
  },
];

describe('client import', { concurrency: 2 }, () => {
  for (const [file, text] of [
    ['clients.csv', good],
    ['clients.yaml', goodYaml],
  ] as const) {
    test(`${file}: registers clients with their secrets, and may be run again`, async (t) => {
      const folder = workFolder(t);
      putSecret(folder, file, text);
      const [dry, made, again, listed] = await jetwayEach(folder, [
        [...load, file, '--dry-run'],
        [...load, file, '--json'],
        [...load, file],
        list,
      ]);
      assert.deepEqual(dry, {
        code: 0,
        stdout: '2 clients would be imported into club; nothing is written\n',
        stderr: '',
      });
      assert.deepEqual([made.code, made.stderr], [0, '']);
      assert.deepEqual(JSON.parse(made.stdout), {
        programme: 'club',
        imported: 2,
        unchanged: 0,
        dry_run: false,
      });
      const rest = '0 clients are imported into club; 2 of the file are in the store already\n';
      assert.deepEqual(again, { code: 0, stdout: rest, stderr: '' });
      assert.deepEqual(withoutTimes(listed.stdout), imported);
      const url = await serve(t, folder);
      const { status } = await askClientTokens(url, 'partnerapi-00001', secret);
      assert.equal(status, 200);
    });
  }

  test('warns of a file that others can read, and takes 1,000 clients', async (t) => {
    const folder = workFolder(t);
    const rows = Array.from(
      { length: 1000 },
      (_, n) => `partnerapi-${10_000 + n},a-secret-of-client-${n},Client ${n},partner\n`,
    );
    putSecret(folder, 'clients.csv', `client_id,client_secret,name,roles\n${rows.join('')}`);
    chmodSync(join(folder, 'clients.csv'), 0o640);
    const ran = await jetway(folder, [...load, 'clients.csv']);
    assert.deepEqual(ran, {
      code: 0,
      stdout: '1000 clients are imported into club\n',
      stderr:
        'warning: clients.csv holds secrets, and others can read it: chmod 600 it, and delete it afterwards\n',
    });
  });
});
