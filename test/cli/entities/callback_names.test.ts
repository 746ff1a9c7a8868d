// Owns the promises about callbacks whose query has a name by which their programme answers: registered by
// a word of their own alone, told of each time, and no hindrance to other changes (HOSTILE 86, C-5).

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { jetway, jetwayEach, programmeText, putSecret, type Ran, workFolder } from '../command.ts';

const id = 'partnerapi-00001';
const file = 'programmes/club.yaml';
const answer = (more: string): string =>
  programmeText('Club', `authorize: { answer: { ${more} } }\n`);

function add(...options: readonly string[]): readonly string[] {
  const named = ['--programme', 'club', '--name', 'Blue', '--client-id', id, '--role', 'member'];
  return ['client', 'add', ...named, ...options];
}

const set = (...options: readonly string[]): readonly string[] => ['client', 'set', id, ...options];

/** Exit code and standard error. */
const ended = (ran: Ran | undefined): readonly unknown[] => [ran?.code, ran?.stderr];

const refusal = (uri: string, name: string): readonly unknown[] => [
  2,
  `redirect URI "${uri}" has "${name}" in its query, and club answers by that name: it would come twice (RFC 6749 3.1); take it out of the query, or register it with --colliding-redirect-uri\n`,
];

const told = (uri: string, name: string): string =>
  `AMBIGUOUS: ${uri} has "${name}" in its query, and club answers by that name: whoever reads the wrong one of the two takes what stands in the callback for the answer`;

const warned = (uri: string, name: string): readonly unknown[] => [
  0,
  `warning: ${told(uri, name)}\n`,
];

const good = 'https://blue.example/cb?x=1&codes=2&Code=3';

describe('HOSTILE 86: a callback with a name of the answer', { concurrency: 2 }, () => {
  test('is refused at client add and client set, and registered by a word of its own', async (t) => {
    const folder = workFolder(t);
    const uri = 'https://blue.example/cb?x=1&%63ode=2';
    const steps = [
      [add('--redirect-uri', uri), refusal(uri, 'code')],
      [add('--redirect-uri', good, '--incomplete'), [0, '']],
      [set('--redirect-uri', uri), refusal(uri, 'code')],
      [set('--add-redirect-uri', uri), refusal(uri, 'code')],
      [
        set('--colliding-redirect-uri', good),
        [
          2,
          `--colliding-redirect-uri "${good}" has no name in its query by which club answers: register it as any other\n`,
        ],
      ],
      [
        set('--colliding-redirect-uri', 'https://blue.example/*?code=1'),
        [
          2,
          '--colliding-redirect-uri "https://blue.example/*?code=1" holds a wildcard or a character no URI may hold\n',
        ],
      ],
      [set('--colliding-redirect-uri', uri), warned(uri, 'code')],
      [['client', 'show', id], warned(uri, 'code')],
      [
        ['client', 'list'],
        [0, `warning: ${id}: ${told(uri, 'code')}\n`],
      ],
      [set('--remove-redirect-uri', uri), [0, '']],
      [
        ['client', 'show', id],
        [0, ''],
      ],
    ] as const;
    const runs = await jetwayEach(
      folder,
      steps.map(([line]) => line),
    );
    for (const [index, [line, expected]] of steps.entries()) {
      assert.deepEqual(ended(runs[index]), expected, line.join(' '));
    }
  });

  test('of plain http needs both words', async (t) => {
    const uri = 'http://blue.example/cb?state=1';
    const [one, other, both] = await jetwayEach(workFolder(t), [
      add('--insecure-redirect-uri', uri),
      add('--colliding-redirect-uri', uri),
      add('--insecure-redirect-uri', uri, '--colliding-redirect-uri', uri),
    ]);
    assert.deepEqual(ended(one), refusal(uri, 'state'));
    assert.deepEqual(ended(other), [
      2,
      `--colliding-redirect-uri "${uri}" is plain http to another machine: use https\n`,
    ]);
    assert.equal(both?.code, 0);
    assert.match(both.stderr, /INSECURE: .*\n.*AMBIGUOUS: /);
  });

  test('by whatever name the dialect gives its answers, and by no other', async (t) => {
    const names = answer(
      'code: authCode, error: fault, issuer: from, more: { region: { constant: eu, only: [code] }, why: error_description }',
    );
    const folder = workFolder(t, { [file]: names });
    const lines = ['authCode', 'fault', 'state', 'from', 'region', 'why'].map((name) => [
      name,
      `https://blue.example/cb?a=b;${name}`,
    ]);
    const runs = await jetwayEach(folder, [
      ...lines.map(([, uri = '']) => add('--redirect-uri', uri)),
      add('--redirect-uri', 'https://blue.example/cb?code=1&error=2&iss=3&error_description=4'),
    ]);
    for (const [index, [name = '', uri = '']] of lines.entries()) {
      assert.deepEqual(ended(runs[index]), refusal(uri, name));
    }
    assert.deepEqual(ended(runs.at(-1)), [0, '']);
  });

  test('is nothing where no login answers there', async (t) => {
    const folder = workFolder(t, {
      [file]: programmeText('Club', 'grants: { authorization_code: null, refresh_token: null }\n'),
    });
    const line = add('--redirect-uri', 'https://blue.example/cb?code=1', '--role', 'partner');
    const ran = await jetway(folder, line);
    assert.equal(ran.code, 0, ran.stderr);
    assert.doesNotMatch(ran.stderr, /AMBIGUOUS/);
  });

  test('that was registered before the name was one hinders no other change; check and show name it', async (t) => {
    const folder = workFolder(t);
    const uri = 'https://blue.example/cb?region=eu';
    const [added, checked] = await jetwayEach(folder, [add('--redirect-uri', uri), ['check']]);
    assert.deepEqual([added?.code, checked?.stdout], [0, '1 programme, 0 errors, 0 warnings\n']);
    writeFileSync(join(folder, file), answer('more: { region: { constant: eu } }'));
    const old = warned(uri, 'region');
    const steps = [
      [set('--name', 'Red'), old],
      [set('--add-redirect-uri', good), old],
      [set('--redirect-uri', uri, good), old],
      [set('--add-redirect-uri', `${uri}2`), refusal(`${uri}2`, 'region')],
      [
        ['client', 'disable', id],
        [0, ''],
      ],
      [['client', 'show', id], old],
    ] as const;
    const runs = await jetwayEach(folder, [...steps.map(([line]) => line), ['check']]);
    for (const [index, [line, expected]] of steps.entries()) {
      const [code, stderr] = ended(runs[index]);
      const shown = line[1] === 'disable' ? '' : stderr;
      assert.deepEqual([code, shown], expected, line.join(' '));
    }
    assert.equal(
      runs.at(-1)?.stdout,
      `./config.yaml:4:8: warning: ${id}: ${told(uri, 'region')} (register another callback) [colliding_callback]\n1 programme, 0 errors, 1 warning\n`,
    );
  });

  test('is refused at client import unless a column of its own has it; rows that are there are left', async (t) => {
    const uri = 'https://blue.example/cb?region=eu';
    const header = 'client_id,client_secret,name,redirect_uris,colliding_redirect_uris,roles\n';
    const row = `${id},an-imported-secret-of-theirs,A,${uri},,member\n`;
    const folder = workFolder(t);
    putSecret(folder, 'old.csv', header + row);
    const load = (name: string, ...more: readonly string[]): readonly string[] => [
      'client',
      'import',
      '--programme',
      'club',
      name,
      ...more,
    ];
    assert.deepEqual(ended(await jetway(folder, load('old.csv'))), [0, '']);
    writeFileSync(join(folder, file), answer('more: { region: { constant: eu } }'));
    const fresh = row.replace(id, 'partnerapi-00002').replace('of-theirs', 'of-ours');
    putSecret(folder, 'new.csv', header + row + fresh);
    putSecret(folder, 'told.csv', header + fresh.replace(`${uri},`, `,${uri}`));
    const [again, dry, refused, taken] = await jetwayEach(folder, [
      load('old.csv'),
      load('new.csv', '--dry-run'),
      load('new.csv'),
      load('told.csv'),
    ]);
    assert.deepEqual(ended(again), [0, '']);
    const place = `new.csv:3:${fresh.indexOf(uri) + 1}`;
    const error = `${place}: error: "${uri}" has "region" in its query, and club answers by that name: it would come twice (RFC 6749 3.1) (take it out of the query, or name the callback under colliding_redirect_uris too)\nnothing is imported: 1 error\n`;
    assert.deepEqual(ended(dry), [2, error]);
    assert.deepEqual(ended(refused), [2, error]);
    assert.deepEqual(ended(taken), [0, `told.csv:2:1: warning: ${told(uri, 'region')}\n`]);
  });

  test('is not looked for where the store cannot be read, and check says so and changes nothing', async (t) => {
    const folder = workFolder(t);
    await jetway(folder, add('--redirect-uri', good));
    const store = join(folder, 'data/jetway.db');
    const before = readFileSync(store);
    assert.equal((await jetway(folder, ['check'])).stdout, '1 programme, 0 errors, 0 warnings\n');
    assert.deepEqual(readFileSync(store), before);
    writeFileSync(store, 'no database, and longer than a header of one could be; '.repeat(40));
    const { code, stdout } = await jetway(folder, ['check']);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /warning: the callbacks in the store are not looked at: .* \[store_not_looked_at\]\n/,
    );
  });
});
