// Owns one API key of several clients of a partner, from the command line (C-5): added, imported and
// rotated, and what a server takes then. What is refused and shown is in client_shared_key.session.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { passed, verify } from '../support/gateway.ts';
import {
  jetwayEach,
  jetwayJson,
  jetwayUnread,
  programmeText,
  putSecret,
  workFolder,
} from './command.ts';
import { serve } from './server.ts';

const [first, second, third] = ['partnerapi-00001', 'partnerapi-00002', 'partnerapi-00003'];

interface Added {
  readonly api_key: string | null;
  readonly api_key_of?: string;
  readonly shared_with?: readonly unknown[];
}

function folderOf(t: TestContext): string {
  const others = ['Other', 'Third'].map((name) => [
    `programmes/${name.toLowerCase()}.yaml`,
    programmeText(name),
  ]);
  return workFolder(t, Object.fromEntries(others) as Record<string, string>);
}

function add(programme: string, id: string, ...more: readonly string[]): readonly string[] {
  const named = ['--programme', programme, '--name', 'Blue', '--client-id', id];
  return ['client', 'add', ...named, '--role', 'partner', ...more, '--json'];
}

/** Statuses of the key alone at each programme. */
async function statuses(url: string, apiKey: string): Promise<readonly number[]> {
  const answers = ['club', 'other', 'third'].map((one) => verify({ url }, one, 'none', { apiKey }));
  return (await Promise.all(answers)).map(({ status }) => status);
}

function clientId(answer: { readonly headers: Readonly<Record<string, string>> }): unknown {
  return answer.headers['x-auth-client-id'];
}

describe('C-5: an API key of several clients', { concurrency: 2 }, () => {
  test('is given to a further client, of this programme or another, by --api-key-of', async (t) => {
    const folder = folderOf(t);
    const given = (await jetwayJson(folder, add('club', first).slice(0, -1))) as Added;
    const key = given.api_key ?? '';
    const [sheet, across, named] = await jetwayEach(folder, [
      add('club', second, '--partner-id', 'Blue12345', '--api-key-of', first).slice(0, -1),
      add('other', third, '--api-key-of', first),
      add('third', second, '--api-key-of', `club/${first}`),
    ]);
    const warning = `warning: ${first} has another partner id: clients of one partner alone share an API key\n`;
    assert.deepEqual([sheet.code, sheet.stderr], [0, warning]);
    assert.match(sheet.stdout, /^Its secret is shown this once; no verb can show it again\.$/m);
    assert.match(sheet.stdout, new RegExp(`^ {2}API key +that of club/${first}$`, 'm'));
    for (const ran of [across, named]) {
      assert.deepEqual([ran.code, ran.stderr], [0, '']);
      const { api_key, api_key_of } = JSON.parse(ran.stdout) as Added;
      assert.deepEqual([api_key, api_key_of], [null, `club/${first}`]);
      assert.ok(!ran.stdout.includes(key));
    }
    const url = await serve(t, folder);
    assert.deepEqual(await statuses(url, key), [200, 200, 200]);
    assert.equal(clientId(await verify({ url }, 'club', 'none', { apiKey: key })), '');
    const alone = await verify({ url }, 'other', 'none', { apiKey: key });
    const facts = { programme: 'other', kind: 'none', 'client-id': third };
    assert.deepEqual(alone, passed(facts));
    // It is each holder's: nothing changes for the others when one goes.
    await jetwayEach(folder, [['client', 'remove', second, '--programme', 'club', '--yes']]);
    assert.equal(clientId(await verify({ url }, 'club', 'none', { apiKey: key })), first);
  });

  test('is rotated for all of them in one step, or for one that leaves', async (t) => {
    const folder = folderOf(t);
    const old =
      ((await jetwayJson(folder, add('club', first).slice(0, -1))) as Added).api_key ?? '';
    const rotate = ['client', 'rotate-api-key', third];
    const [, , , rotated, stuck, sheet, , , apart] = await jetwayEach(folder, [
      add('other', third, '--api-key-of', first),
      add('third', second, '--api-key-of', first),
      add('club', second),
      [...rotate, '--json'],
      rotate,
      [...rotate, '--overlap', '0s'],
      ['client', 'show', first],
      // Two keys good at once are shared both.
      [...rotate],
      ['client', 'rotate-api-key', first, '--alone', '--overlap', '0s', '--json'],
    ]);
    const { api_key: next, shared_with } = JSON.parse(rotated.stdout) as Added;
    assert.deepEqual(shared_with, [
      { programme: 'club', client_id: first },
      { programme: 'third', client_id: second },
    ]);
    assert.equal(stuck.code, 1);
    assert.match(
      stuck.stderr,
      /has two valid API keys, .*: end the older one with client retire-api-key/,
    );
    assert.match(sheet.stdout, /^2 clients share it, and had it replaced as well\.$/m);
    assert.match(
      sheet.stdout,
      new RegExp(`^ {2}shared with +club/${first}\\n +third/${second}$`, 'm'),
    );
    const { api_key: own, shared_with: none } = JSON.parse(apart.stdout) as Added;
    assert.equal(none, undefined);
    const url = await serve(t, folder);
    const ofSheet = /jw_staging_\S+/.exec(sheet.stdout)?.[0] ?? '';
    for (const [key, expected] of [
      [old, [401, 401, 401]],
      [next ?? '', [401, 401, 401]],
      [ofSheet, [401, 200, 200]],
      [own ?? '', [200, 401, 401]],
    ] as const) {
      assert.deepEqual(await statuses(url, key), expected);
    }
    // While a server runs, it counts for all from the next request on.
    const last = (await jetwayJson(folder, [...rotate, '--overlap', '0s'])) as Added;
    assert.deepEqual(await statuses(url, ofSheet), [401, 401, 401]);
    assert.deepEqual(await statuses(url, last.api_key ?? ''), [401, 200, 200]);
    // A key that leaked ends, and what partners changed over to goes on.
    const fresh = (await jetwayJson(folder, [...rotate, '--json'])) as Added;
    await jetwayEach(folder, [['client', 'retire-api-key', third]]);
    assert.deepEqual(await statuses(url, last.api_key ?? ''), [401, 401, 401]);
    assert.deepEqual(await statuses(url, fresh.api_key ?? ''), [401, 200, 200]);
  });

  test('a rotation whose key nobody saw changes nothing, for any of them', async (t) => {
    const folder = folderOf(t);
    const [, , before] = await jetwayEach(folder, [
      add('club', first),
      add('other', second, '--api-key-of', first),
      ['client', 'list', '--json'],
    ]);
    const rotate = ['client', 'rotate-api-key', first, '--overlap', '0s'];
    const { code, stderr } = await jetwayUnread(folder, rotate);
    assert.equal(code, 1);
    assert.match(stderr, /the new API key is lost: nothing was changed/);
    const [after] = await jetwayEach(folder, [['client', 'list', '--json']]);
    assert.equal(after.stdout, before.stdout);
  });

  // Without --shared-api-keys: client_import_faults.session.
  test('stands twice in a file, or is in the store, where that is told', async (t) => {
    const folder = folderOf(t);
    const key = 'an-imported-api-key';
    const header = 'client_id,client_secret,name,roles,api_key\n';
    const row = (id: string): string => `${id},an-imported-secret,Blue,partner,${key}\n`;
    putSecret(folder, 'two.csv', header + row(first) + row(second));
    putSecret(folder, 'one.csv', header + row(third));
    const load = ['client', 'import', '--programme', 'club', '--shared-api-keys'];
    const [taken, again, later] = await jetwayEach(folder, [
      [...load, 'two.csv'],
      [...load, 'two.csv'],
      [...load, 'one.csv'],
    ]);
    assert.deepEqual(
      [taken, later].map(({ code, stderr }) => [code, stderr]),
      [
        [0, ''],
        [0, ''],
      ],
    );
    assert.match(again.stdout, /2 of the file are in the store already/);
    const url = await serve(t, folder);
    assert.deepEqual(await statuses(url, key), [200, 401, 401]);
  });
});
