// Owns the promises of what `show` and `client add` print for partners: the address of the service, what
// is registered of the client, and no secret.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  configText,
  jetway,
  jetwayEach,
  jetwayJson,
  programmeText,
  workFolder,
} from '../command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'Blue Cars', '--role', 'member'];
const callback = ['--redirect-uri', 'https://blue.example/cb'];
const page = ['show', 'club', '--for', 'partner'];

interface Added {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly partner_page: string;
}

describe('show --for partner', () => {
  test('is printed by client add on request, and the same by show', async (t) => {
    const folder = workFolder(t);
    const added = (await jetwayJson(folder, [...add, ...callback, '--partner-page'])) as Added;
    const { client_id: id, client_secret: secret, api_key: apiKey, partner_page: own } = added;
    for (const text of [id, 'https://blue.example/cb', 'https://tokens.example/club/api/grant']) {
      assert.ok(own.includes(text), text);
    }
    for (const text of [secret, apiKey, 'YOUR-CLIENT-ID']) assert.ok(!own.includes(text), text);
    const [shown, html, placeholders, sheet] = await jetwayEach(folder, [
      [...page, '--client', id],
      [...page, '--client', id, '--format', 'html'],
      page,
      [...add, ...callback, '--partner-page'],
    ]);
    assert.deepEqual(shown, { code: 0, stdout: own, stderr: '' });
    assert.match(html.stdout, /^<!doctype html>\n/);
    assert.ok(html.stdout.includes(`<code>${id}</code>`));
    assert.ok(placeholders.stdout.includes('`YOUR-CLIENT-ID`'));
    const [head = '', rest = ''] = sheet.stdout.split('\n\n# Club: guide for partners\n');
    assert.match(head, /^ {2}client secret /m);
    assert.ok(rest.includes('## Ask for help'));
    assert.deepEqual(await jetwayJson(folder, [...page, '--client', id]), { page: own });
  });

  test('names what the configuration says: environment, contact, no introspection beside gateway', async (t) => {
    const more = 'gateway: 127.0.0.1:0\npartners: { contact: partners@example.com }\n';
    const folder = workFolder(t, {
      'config.yaml': configText + more,
      'programmes/club.yaml': `${programmeText('Club')}introspection: { path: /ask }\n`,
    });
    const [told, document] = await jetwayEach(folder, [page, ['show', 'club', '--openapi']]);
    assert.match(
      told.stdout,
      /^\| Environment \| staging \|\n\| Version of the interface \| \S+ \|\n\| As of \| \d{4}-\d\d-\d\d \|$/m,
    );
    assert.match(told.stdout, /^Ask partners@example\.com\.$/m);
    assert.doesNotMatch(told.stdout + document.stdout, /\/club\/ask/);
  });

  test('needs no store without a client; an unknown client and idle options are refused', async (t) => {
    const folder = workFolder(t);
    const [first, unknown, idle, alone] = await jetwayEach(folder, [
      page,
      [...page, '--client', 'partnerapi-99999'],
      ['show', 'club', '--client', 'partnerapi-99999', '--format', 'html'],
      ['show', 'club', '--for', 'member'],
    ]);
    assert.equal(first.code, 0);
    assert.deepEqual(unknown, {
      code: 1,
      stdout: '',
      stderr: 'there is no client "partnerapi-99999" in club\n',
    });
    assert.equal(idle.code, 2);
    assert.match(idle.stderr, /^--format is for --for partner\n--client is for .*\n/);
    assert.equal(alone.code, 2);
    const [openapi, both] = await jetwayEach(folder, [
      ['show', 'club', '--openapi'],
      ['show', 'club', '--openapi', '--departures'],
    ]);
    const { openapi: version, servers } = JSON.parse(openapi.stdout) as Readonly<
      Record<string, unknown>
    >;
    assert.deepEqual([version, servers], ['3.1.1', [{ url: 'https://tokens.example' }]]);
    assert.equal(both.stderr, '--for, --openapi and --departures exclude each other\n');
    const memory = workFolder(t, {
      'config.yaml': 'environment: staging\nstore: memory\npublic_url: https://tokens.example\n',
    });
    assert.equal((await jetway(memory, page)).code, 0);
    assert.equal((await jetway(memory, [...page, '--client', 'partnerapi-99999'])).code, 4);
  });
});
