// Owns the promises of `client list`, `show`, `disable` and `enable`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetwayEach, programmeText, workFolder } from './command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'Blue Cars'];
const callback = ['--redirect-uri', 'https://blue.example/cb'];

interface Added {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
}

describe('client list, show, disable, enable', () => {
  test('show what there is and change what was asked, without a digest or a secret', async (t) => {
    const folder = workFolder(t, { 'programmes/other.yaml': programmeText('Other') });
    const other = ['client', 'add', '--programme', 'other', '--name', 'Red', '--role', 'partner'];
    const ids = ['--client-id', 'partnerapi-00001'];
    const added = await jetwayEach(folder, [
      ['client', 'list'],
      [...add, ...callback, '--role', 'member', ...ids, '--json'],
      [...other, ...ids, '--json'],
      [...other, '--client-id', 'partnerapi-00002', '--json'],
    ]);
    assert.deepEqual(added[0], { code: 0, stdout: '', stderr: 'there are no clients\n' });
    const secrets = added.slice(1).flatMap(({ stdout }) => {
      const { client_secret, api_key } = JSON.parse(stdout) as Added;
      return [client_secret, api_key];
    });
    const runs = await jetwayEach(folder, [
      ['client', 'list'],
      ['client', 'show', 'partnerapi-00001', '--programme', 'club'],
      ['client', 'show', 'partnerapi-00001'],
      ['client', 'disable', 'partnerapi-00002'],
      ['client', 'disable', 'partnerapi-00002'],
      ['client', 'show', 'partnerapi-00002', '--json'],
      ['client', 'enable', 'partnerapi-00002'],
      ['client', 'list', '--programme', 'other', '--json'],
    ]);
    for (const { stdout, stderr } of runs) {
      for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret));
      assert.doesNotMatch(stdout, /digest/);
    }
    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0, 2, 0, 0, 0, 0, 0],
    );
    const [list, one, several, disabled, again, shown, enabled, listed] = runs.map(
      ({ stdout, stderr }) => (stdout + stderr).replaceAll(/\d{4}-\d\d-\d\dT\S*?Z/g, 'TIME'),
    );
    assert.equal(
      list,
      `PROGRAMME  CLIENT            NAME       ROLES    STATUS  CREATED
club       partnerapi-00001  Blue Cars  member   active  TIME
other      partnerapi-00001  Red        partner  active  TIME
other      partnerapi-00002  Red        partner  active  TIME
`,
    );
    assert.equal(
      one,
      `  client identifier  partnerapi-00001
  programme          club
  name               Blue Cars
  status             active
  roles              member
  redirect URIs      https://blue.example/cb
  client secrets     made TIME, never used
  API keys           made TIME, never used
  created            TIME
  last hour          not known: no server of this configuration runs: nothing answers at ${folder}/data/jetway.db.control (control)
`,
    );
    assert.equal(
      several,
      'several programmes have a client "partnerapi-00001": add --programme and one of club, other\n',
    );
    assert.equal(disabled, 'client partnerapi-00002 of other is disabled\n');
    assert.equal(again, 'client partnerapi-00002 of other is disabled already\n');
    assert.deepEqual(JSON.parse(shown ?? ''), {
      client_id: 'partnerapi-00002',
      programme: 'other',
      name: 'Red',
      status: 'disabled',
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
      api_keys: [{ created_at: 'TIME', expires_at: null, last_used_at: null }],
      api_key_shared_with: [],
      created_at: 'TIME',
      last_hour: null,
    });
    assert.equal(enabled, 'client partnerapi-00002 of other is active\n');
    assert.deepEqual(
      (JSON.parse(listed ?? '') as Added[]).map((client) => client.client_id),
      ['partnerapi-00001', 'partnerapi-00002'],
    );
  });
});
