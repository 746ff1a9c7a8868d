// Owns what `client import` says of a file that is wrong: every fault at its place, and no secret.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetwayEach, putSecret, workFolder } from './command.ts';

const load = ['client', 'import', '--programme', 'club'];
const list = ['client', 'list', '--json'];

describe('client import, faults', { concurrency: 2 }, () => {
  test('tells every fault of a CSV at its place, and imports nothing', async (t) => {
    const folder = workFolder(t);
    putSecret(
      folder,
      'clients.csv',
      `client_id,client_secret,name,redirect_uris,roles,partner_id,throttle_limit,throttle_window,colour
partnerapi-00001,hunter2,Good,,partner,,,,
partnerapi-00001,not-told-but-wrong,Blue,https://a.example/cb http://b.example/cb,member parter,short,5,,
partnerapi-1,,,,member,,0,1m,
partnerapi-00003,not-told-but-wrong,Too few,
partnerapi-00004,not"told,Quote,,,,,,
partnerapi-00005,"not-told-but-\twrong",Tab,,,,,,
`,
    );
    const [ran, after] = await jetwayEach(folder, [[...load, 'clients.csv'], list]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.ok(!/not-told|hunter2|told,/.test(ran.stderr), ran.stderr);
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      'clients.csv:1:92: error: there is no column "colour" (expected one of client_id, client_secret, api_key, insecure_short, name, roles, redirect_uris, insecure_redirect_uris, colliding_redirect_uris, business_context, partner_id, throttle_limit, throttle_window, property.NAME, client_type, certificate, certificate_subject, jwks)',
      'clients.csv:2:18: warning: the secret has 7 characters; with fewer than 16 it can be guessed',
      'clients.csv:3:1: error: "partnerapi-00001" is in line 2 already',
      'clients.csv:3:63: error: redirect_uris: "http://b.example/cb" is plain http to another machine: use https',
      'clients.csv:3:90: error: roles: "parter" is no role (did you mean "partner"?)',
      'clients.csv:3:97: error: partner_id must be 8 to 20 letters and digits, not "short"',
      "clients.csv:3:103: error: a throttle's limit and window go together",
      'clients.csv:4:1: error: this client has no name',
      'clients.csv:4:1: error: client_id: "partnerapi-1" is no identifier of club: expected "partnerapi-" and 5 digits',
      'clients.csv:4:1: error: this client has no client_secret',
      'clients.csv:4:17: error: the role member needs redirect_uris, where members return to after a login',
      'clients.csv:4:25: error: the throttle\'s limit must be a number from 1 to 1000000, not "0"',
      'clients.csv:5:1: error: this line has 4 values, but the header names 9 columns',
      'clients.csv:6:21: error: a value that holds a " must stand in quotes, with each " written twice',
      'clients.csv:7:19: error: client_secret holds control characters',
      'nothing is imported: 14 errors',
    ]);
    assert.equal(after.stderr, '');
    assert.equal(after.stdout, '[]\n');
  });

  test('C-4: an API key is one client’s, and can be sent', async (t) => {
    const folder = workFolder(t);
    const row = (id: number, key: string) =>
      `partnerapi-0000${id},a-secret-of-some-length,Blue,partner,${key}\n`;
    const header = 'client_id,client_secret,name,roles,api_key\n';
    const [one, two] = ['key-not-told-but-one', 'key-not-told-but-two'];
    putSecret(folder, 'good.csv', header + row(1, one) + row(2, two));
    putSecret(
      folder,
      'bad.csv',
      header + row(3, one) + row(4, 'ké-not-told-but-odd') + row(5, 'x'.repeat(1025)),
    );
    putSecret(
      folder,
      'twice.csv',
      header + row(6, 'a-long-key-not-told') + row(7, 'a-long-key-not-told'),
    );
    putSecret(folder, 'again.csv', header + row(8, two) + row(9, 'a-key-of-its-own'));
    const [good, bad, twice, again, same] = await jetwayEach(folder, [
      [...load, 'good.csv'],
      [...load, 'bad.csv'],
      [...load, 'twice.csv'],
      [...load, 'again.csv'],
      [...load, 'good.csv'],
    ]);
    assert.deepEqual([good.code, bad.code, twice.code, same.code], [0, 2, 2, 0], good.stderr);
    assert.notEqual(again.code, 0);
    assert.deepEqual(bad.stderr.split('\n').slice(0, 3), [
      'bad.csv:2:1: error: the api_key of "partnerapi-00003" is that of "partnerapi-00001" of club already (clients of one partner may share one: --shared-api-keys)',
      'bad.csv:3:55: error: api_key cannot be sent in a header: expected ASCII without spaces around it',
      'bad.csv:4:55: error: api_key has more than 1024 characters',
    ]);
    assert.equal(
      twice.stderr.split('\n')[0],
      'twice.csv:3:55: error: this api_key is in line 2 already (clients of one partner may share one: --shared-api-keys)',
    );
    assert.equal(
      again.stderr.split('\n')[0],
      'again.csv:2:1: error: the api_key of "partnerapi-00008" is that of "partnerapi-00002" of club already (clients of one partner may share one: --shared-api-keys)',
    );
    for (const { stdout, stderr } of [good, bad, twice, again])
      assert.ok(!/not-told/.test(stdout + stderr));
  });

  test('tells every fault of a YAML at its place, and no secret', async (t) => {
    const folder = workFolder(t);
    putSecret(
      folder,
      'clients.yml',
      `- client_id: 00001
  client_secret: 12345678901234567890
  name: Blue
  colour: red
  roles: [member, [x]]
  throttle: { limit: 5, windw: 1m }
  properties: { "1": a, plan: "" }
- just text
- name: Red
  client_id: partnerapi-00002
`,
    );
    putSecret(folder, 'broken.yaml', '- client_secret: "a" not-told\n');
    putSecret(folder, 'map.yaml', 'client_id: partnerapi-00002\n');
    const [ran, broken, map] = await jetwayEach(folder, [
      [...load, 'clients.yml'],
      [...load, 'broken.yaml'],
      [...load, 'map.yaml'],
    ]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.doesNotMatch(ran.stderr, /1234/);
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      'clients.yml:1:14: error: client_id is not read as text as it stands (put it in quotes)',
      'clients.yml:2:18: error: client_secret is not read as text as it stands (put it in quotes)',
      'clients.yml:4:3: error: a client has no "colour" (expected one of client_id, client_secret, api_key, insecure_short, name, roles, redirect_uris, insecure_redirect_uris, colliding_redirect_uris, business_context, partner_id, throttle, properties, client_type, certificate, certificate_subject, jwks)',
      'clients.yml:5:11: error: the role member needs redirect_uris, where members return to after a login',
      'clients.yml:5:19: error: roles must be text, not a list',
      "clients.yml:6:22: error: a throttle's limit and window go together",
      'clients.yml:6:25: error: a throttle has no "windw" (did you mean "window"?)',
      'clients.yml:7:17: error: the name of a property must be a letter and then letters, digits, "_", "-" or ".", at most 64 in all, not "1"',
      'clients.yml:7:31: error: the property "plan" must be 1 to 1000 characters that can be seen',
      'clients.yml:8:3: error: expected a client: a map of client_id and others',
      'clients.yml:9:3: error: this client has no client_secret',
      'nothing is imported: 11 errors',
    ]);
    assert.equal(broken.code, 2);
    assert.doesNotMatch(broken.stderr, /not-told/);
    assert.match(broken.stderr, /^broken\.yaml:1:22: error: /);
    assert.match(map.stderr, /^map\.yaml:1:1: error: expected a list of clients/);
  });

  test('says what a file lacks as a whole, without quoting it', async (t) => {
    const folder = workFolder(t);
    const files = [
      [
        'headless.csv',
        'partnerapi-00001,not-told-but-wrong,Blue\n',
        /:1:1: error: these are no names of columns \(the first line/,
      ],
      [
        'semicolons.csv',
        'client_id;client_secret;name\n',
        /:1:1: error: .* \(separate them with commas\)/,
      ],
      ['columns.csv', 'client_id,client_secret\n', /:1:1: error: there is no column name\n/],
      [
        'twice.csv',
        'client_id,client_secret,name,name\n',
        /:1:30: error: the column "name" is given twice/,
      ],
      ['empty.csv', '', /:1:1: error: there is no client in this file/],
      [
        'header.csv',
        'client_id,client_secret,name\n',
        /:1:1: error: there is no client in this file/,
      ],
      [
        'large.yaml',
        `# ${'x'.repeat(70_000)}\n`,
        /at most 65536 are read \(a \.csv may be larger\)/,
      ],
      ['clients.txt', '', /^"clients\.txt" is neither a \.csv nor a \.yaml file\n/],
    ] as const;
    for (const [name, text] of files) putSecret(folder, name, text);
    const runs = await jetwayEach(folder, [
      ...files.map(([name]) => [...load, name]),
      [...load, 'gone.csv'],
    ]);
    for (const [index, [name, , message]] of files.entries()) {
      const ran = runs[index];
      assert.deepEqual([ran?.code, ran?.stdout], [2, ''], name);
      assert.match(ran?.stderr ?? '', message);
      assert.doesNotMatch(ran?.stderr ?? '', /not-told/);
    }
    assert.equal(runs.at(-1)?.stderr, 'gone.csv does not exist\n');
  });
});
