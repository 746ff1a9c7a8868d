// Owns what `client add`, `import` and `set` ask of a client by its programme's dialect (C-5), and
// the callbacks that are registered against advice (HOSTILE 7).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';

import {
  configText,
  jetwayEach,
  programmeText,
  putSecret,
  type Ran,
  workFolder,
} from '../command.ts';

const callback = ['--redirect-uri', 'https://blue.example/cb'];
const member = [...callback, '--role', 'member'];
const whole = ['--business-context', 'Cars', '--partner-id', 'Blue12345'];

function addTo(programme: string, id: string, ...options: string[]): readonly string[] {
  const named = ['--programme', programme, '--name', 'Blue', '--client-id', id];
  return ['client', 'add', ...named, ...options];
}

function secondClub(t: TestContext, more = ''): string {
  const text = readFileSync('programmes/second-club.yaml', 'utf8').replace(/^ {2}logo: .*\n/m, '');
  return workFolder(t, { 'programmes/second-club.yaml': text + more });
}

/** Exit code and standard error. */
function ended(ran: Ran | undefined): readonly [number | null | undefined, string | undefined] {
  return [ran?.code, ran?.stderr];
}

const way = '(--incomplete allows that)';
const context =
  'is missing: second-club compares requests with it, and refuses those of a client without';
const partner = 'is missing: second-club puts it into its answers';

describe('C-5: what a dialect needs of a client', { concurrency: 2 }, () => {
  test('is required at client add and client set, unless told --incomplete', async (t) => {
    const folder = secondClub(t);
    const set = ['client', 'set', 'Blue1'];
    const both = [`--business-context ${context}`, `--partner-id ${partner}`];
    const refused = (...lines: string[]): readonly [number, string] => [
      2,
      lines.map((line) => `${line} ${way}\n`).join(''),
    ];
    const warned = (...lines: string[]): readonly [number, string] => [
      0,
      lines.map((line) => `warning: ${line}\n`).join(''),
    ];
    const idle =
      'no grant of second-club is for the role partner: it is of no use to the client there';
    const roleless =
      'the client has no role: every grant is refused until it is given one (--role)';
    const steps = [
      [addTo('second-club', 'Blue1', ...member), refused(...both)],
      [addTo('second-club', 'Blue1', ...member, '--business-context', 'Cars'), refused(both[1]!)],
      [addTo('second-club', 'Blue1', ...callback), refused(...both)],
      [addTo('second-club', 'Blue1', ...member, '--incomplete'), warned(...both)],
      [[...set, '--name', 'Red'], refused(...both)],
      [[...set, '--name', 'Red', '--incomplete'], warned(...both)],
      [[...set, '--name', 'Green', '--partner-id', 'Blue12345'], refused(both[0]!)],
      [[...set, '--name', 'Green', ...whole], warned()],
      [[...set, '--no-business-context'], refused(both[0]!)],
      [[...set, '--no-partner-id', '--role', 'member', 'partner'], refused(both[1]!)],
      [[...set, '--role', 'member', 'partner'], warned(idle)],
      [[...set, '--no-roles'], warned(roleless)],
      [addTo('second-club', 'Blue2', ...whole, ...member), warned()],
      [addTo('club', 'partnerapi-00001', ...member), warned()],
    ] as const;
    const listed = ['client', 'list', '--json'];
    const runs = await jetwayEach(folder, [...steps.map(([line]) => line), listed]);
    for (const [index, [line, expected]] of steps.entries()) {
      assert.deepEqual(ended(runs[index]), expected, line.join(' '));
    }
    // What was refused has changed nothing.
    const clients = JSON.parse(runs.at(-1)?.stdout ?? '') as readonly Record<string, unknown>[];
    assert.deepEqual(
      clients.map((one) => [one['client_id'], one['name'], one['business_context']]),
      [
        ['partnerapi-00001', 'Blue', null],
        ['Blue1', 'Green', 'Cars'],
        ['Blue2', 'Blue', 'Cars'],
      ],
    );
  });

  test('is required of each row of an import, by its column', async (t) => {
    const folder = secondClub(t);
    const header = 'client_id,client_secret,name,redirect_uris,roles,business_context,partner_id';
    const rows = [
      'Blue1,an-imported-secret,Blue,https://a.example/cb,member,,',
      'Blue2,an-imported-secret,Red,https://b.example/cb,member,Cars,Blue12345',
      'Blue3,an-imported-secret,Green,https://c.example/cb,member,Cars,',
    ];
    putSecret(folder, 'clients.csv', `${[header, ...rows].join('\n')}\n`);
    const load = ['client', 'import', '--programme', 'second-club', 'clients.csv'];
    const [dry, refused, taken, again] = await jetwayEach(folder, [
      [...load, '--dry-run'],
      load,
      [...load, '--incomplete'],
      [...load, '--incomplete'],
    ]);
    const lines = (severity: string, end: string): string =>
      [
        `clients.csv:2:1: ${severity}: business_context ${context}${end}`,
        `clients.csv:2:1: ${severity}: partner_id ${partner}${end}`,
        `clients.csv:4:1: ${severity}: partner_id ${partner}${end}`,
      ].join('\n');
    const nothing = `${lines('error', ` ${way}`)}\nnothing is imported: 3 errors\n`;
    assert.deepEqual(
      [ended(dry), ended(refused)],
      [
        [2, nothing],
        [2, nothing],
      ],
    );
    assert.deepEqual(ended(taken), [0, `${lines('warning', '')}\n`]);
    assert.match(
      again.stdout,
      /^0 clients are imported .*; 3 of the file are in the store already/,
    );
  });

  test('is all that answers hold and requests are compared with, and no more', async (t) => {
    const dialect = `
token_endpoints:
  grant:
    inputs:
      app_key: { in: header, name: X-App-Key, required: true, must_equal: client.api_key }
tokens: { access: { format: jwt, claims: { plan: client.plan } } }
token_response:
  headers: { X-Region: { value: client.region } }
  fields:
    instance: client.instance_url
    seat: { value: client.seat, only: [password] }
    unit: { value: client.unit, absent: nothing }
    name: { first: [client.nickname, client_name] }
`;
    const folder = workFolder(t, { 'programmes/club.yaml': programmeText('Club', dialect) });
    const secrets =
      'client_id,client_secret,name,roles\npartnerapi-00002,an-imported-secret,A,partner\n';
    putSecret(folder, 'clients.csv', secrets);
    const given = ['instance_url=https://eu.example', 'region=eu', 'plan=gold'];
    const [refused, added, imported] = await jetwayEach(folder, [
      addTo('club', 'partnerapi-00001', '--role', 'partner'),
      addTo('club', 'partnerapi-00001', '--role', 'partner', '--property', ...given),
      ['client', 'import', '--programme', 'club', 'clients.csv'],
    ]);
    const needed = ['instance_url', 'region', 'plan'];
    const missing = needed.map((name) => `--property ${name}=… is missing: club puts it into`);
    assert.deepEqual(
      refused.stderr
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replace(/ its answers .*/, '')),
      missing,
    );
    assert.deepEqual(ended(added), [0, '']);
    assert.match(imported.stderr, /^clients\.csv:2:1: error: api_key is missing: club compares/);
  });

  test('is each property that requests are compared with, of values that an input takes', async (t) => {
    const dialect =
      'token_endpoints: { grant: { inputs: { seat: { characters: digits, must_equal: client.seat } } } }\n';
    const folder = workFolder(t, { 'programmes/club.yaml': programmeText('Club', dialect) });
    const add = addTo('club', 'partnerapi-00001', '--role', 'partner');
    const yaml = `- { client_id: partnerapi-00002, client_secret: an-imported-secret, api_key: an-imported-api-key, name: B, roles: partner, properties: { seat: ["1", "2"] } }\n`;
    putSecret(folder, 'clients.yaml', yaml);
    const [lacking, unfit, added, set, imported, shown] = await jetwayEach(folder, [
      add,
      [...add, '--property', 'seat=x'],
      [...add, '--property', 'seat=1', 'seat=2'],
      ['client', 'set', 'partnerapi-00001', '--property', 'seat=3', 'seat=4'],
      ['client', 'import', '--programme', 'club', 'clients.yaml'],
      ['client', 'list', '--json'],
    ]);
    const why = 'club compares requests with it, and refuses those of a client without';
    assert.deepEqual(ended(lacking), [2, `--property seat=… is missing: ${why} ${way}\n`]);
    const never = 'club compares requests with "x", which its input seat never takes';
    assert.deepEqual(ended(unfit), [2, `--property seat=…: ${never} ${way}\n`]);
    assert.deepEqual(ended(added), [0, '']);
    assert.deepEqual(ended(set), [0, '']);
    assert.equal(imported.code, 0, imported.stderr);
    const clients = JSON.parse(shown.stdout) as { readonly properties: unknown }[];
    assert.deepEqual(
      clients.map(({ properties }) => properties),
      [{ seat: ['3', '4'] }, { seat: ['1', '2'] }],
    );
  });

  test('is not looked at where the programme’s file has faults: changes must not wait for it', async (t) => {
    const folder = secondClub(t);
    const line = addTo('second-club', 'Blue1', ...member, ...whole);
    const [added] = await jetwayEach(folder, [line]);
    assert.deepEqual(ended(added), [0, '']);
    putSecret(folder, 'programmes/second-club.yaml', 'variant: partner-login\nnmae: Second\n');
    const [changed, shown] = await jetwayEach(folder, [
      ['client', 'set', 'Blue1', '--no-roles', '--no-partner-id'],
      ['client', 'show', 'Blue1', '--json'],
    ]);
    const warning =
      'warning: the file of second-club has faults: what it needs of a client is not looked at\n';
    assert.deepEqual(ended(changed), [0, warning]);
    const { roles, partner_id } = JSON.parse(shown.stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual([roles, partner_id], [[], null]);
  });
});

describe('HOSTILE 7 C-5: a callback of plain http', { concurrency: 2 }, () => {
  const uri = 'http://blue.example/cb';
  const insecure = ['--insecure-redirect-uri', uri];
  const warning = `warning: INSECURE: ${uri} is plain http: whoever is on the way there can read the codes of members' logins\n`;

  for (const environment of ['staging', 'live'] as const) {
    test(`is registered by a word of its own, and told of every time (${environment})`, async (t) => {
      const folder = workFolder(t, {
        'config.yaml': configText.replace('staging', environment),
      });
      const id = 'partnerapi-00001';
      const set = ['client', 'set', id];
      const plain = `--redirect-uri "${uri}" is plain http to another machine: use https\n`;
      const show = ['client', 'show', id];
      const told: readonly [number, string] = [0, warning];
      const steps: readonly (readonly [readonly string[], readonly [number, string]])[] = [
        [addTo('club', id, '--role', 'member', '--redirect-uri', uri), [2, plain]],
        [addTo('club', id, '--role', 'member', ...insecure), told],
        [show, told],
        [[...set, '--name', 'Red'], told],
        [
          [...set, '--redirect-uri', 'https://blue.example/cb'],
          [0, ''],
        ],
        [show, [0, '']],
        [
          [...set, '--add-redirect-uri', uri],
          [2, plain.replace('--', '--add-')],
        ],
        [[...set, ...insecure], told],
      ];
      const lines = [...steps.map(([line]) => line), [...show, '--json']];
      const runs = await jetwayEach(folder, lines);
      for (const [index, [line, expected]] of steps.entries()) {
        assert.deepEqual(ended(runs[index]), expected, line.join(' '));
      }
      const { redirect_uris } = JSON.parse(runs.at(-1)?.stdout ?? '') as Record<string, unknown>;
      assert.deepEqual(redirect_uris, ['https://blue.example/cb', uri]);
    });
  }

  const never = ['javascript:alert(1)', 'https://blue.example/cb', 'http://127.0.0.1/cb'];

  test('is the one thing that this word lets in', async (t) => {
    const folder = workFolder(t);
    const rows = never.map(
      (one, index) => `partnerapi-${10_000 + index},an-imported-secret,A,,${one},member`,
    );
    const header = 'client_id,client_secret,name,redirect_uris,insecure_redirect_uris,roles';
    const good = `partnerapi-00020,an-imported-secret,A,${uri},${uri},member`;
    putSecret(folder, 'bad.csv', `${[header, ...rows].join('\n')}\n`);
    putSecret(folder, 'good.csv', `${header}\n${good}\n`);
    putSecret(folder, 'plain.csv', `${header}\n${good.replace(`,${uri},${uri}`, `,${uri},`)}\n`);
    const load = ['client', 'import', '--programme', 'club'];
    const [bad, plain, taken, again, ...refused] = await jetwayEach(folder, [
      [...load, 'bad.csv'],
      [...load, 'plain.csv'],
      [...load, 'good.csv'],
      [...load, 'good.csv'],
      ...never.map((one) =>
        addTo('club', 'partnerapi-00009', '--role', 'member', '--insecure-redirect-uri', one),
      ),
    ]);
    assert.equal(bad?.code, 2);
    for (const [index, one] of never.entries()) {
      assert.match(
        bad.stderr,
        new RegExp(`^bad\\.csv:${index + 2}:\\d+: error: insecure_red`, 'm'),
      );
      assert.deepEqual([refused[index]?.code, refused[index]?.stdout], [2, ''], one);
    }
    assert.match(plain?.stderr ?? '', /plain\.csv:2:.*: use https$/m);
    const told = `good.csv:2:1: ${warning}`;
    assert.deepEqual(ended(taken), [0, told]);
    assert.deepEqual(ended(again), [0, told]);
  });
});
