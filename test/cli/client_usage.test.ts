// Owns what `client add` refuses as wrong usage (HOSTILE 7, P-1), and how it says so.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';

import { jetway, jetwayEach, workFolder } from './command.ts';

const add = ['client', 'add', '--programme', 'club', '--name', 'Blue Cars'];
const callback = ['--redirect-uri', 'https://blue.example/cb'];

/** HOSTILE 7: one URI of each reason; test/oauth/redirect_uri.test.ts has them all. */
const refusedUris = [
  ['javascript:alert(1)', /scheme "javascript:"/],
  ['http://127.0.0.1.blue.example/cb', /plain http to another machine/],
  ['https://*.blue.example/cb', /wildcard/],
  ['https://blue.example/cb#', /fragment/],
  ['https://user@blue.example/cb', /credentials/],
  ['https://blue.example/%2e%2e/cb', /dot segments/],
  ['/cb', /not an absolute URI/],
  ['', /spaces or characters outside ASCII/],
] as const;

describe('client add, wrong usage', { concurrency: 2 }, () => {
  test('refuses every callback that may not be registered, naming each', async (t) => {
    const folder = workFolder(t);
    const uris = refusedUris.flatMap(([uri]) => ['--redirect-uri', uri]);
    const ran = await jetway(folder, [...add, '--role', 'member', ...callback, ...uris]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    const lines = ran.stderr.trimEnd().split('\n');
    assert.equal(lines.length, refusedUris.length, ran.stderr);
    for (const [index, [uri, reason]] of refusedUris.entries()) {
      assert.match(lines[index] ?? '', reason, uri);
    }
    assert.deepEqual(readdirSync(folder).toSorted(), ['config.yaml', 'programmes']);
  });

  test('names everything that is wrong at once', async (t) => {
    const ran = await jetway(workFolder(t), [
      ...add.slice(0, -1),
      ' ',
      ...'--role member --business-context Cars2 --partner-id short'.split(' '),
      ...'--throttle-limit 0 --throttle-window 1m'.split(' '),
    ]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.deepEqual(ran.stderr.trimEnd().split('\n'), [
      '--name must be 1 to 200 characters that can be seen',
      '--business-context must be 1 to 50 letters, not "Cars2"',
      '--partner-id must be 8 to 20 letters and digits, not "short"',
      '--throttle-limit must be a number from 1 to 1000000, not "0"',
      '--role member needs a --redirect-uri, where members return to after a login',
    ]);
  });

  test('refuses what it does not know, and throttles that make no sense', async (t) => {
    const mistakes = [
      [['--role', 'admin'], /'admin' is invalid\. Allowed choices are member, partner/],
      [['--throttle-limit', '5'], /^--throttle-limit and --throttle-window go together\n$/],
      [
        ['--throttle-limit', '5', '--throttle-window', '1'],
        /^--throttle-window must be a duration/,
      ],
      [
        ['--throttle-limit', '1e3', '--throttle-window', '1m'],
        /^--throttle-limit must be a number/,
      ],
      [
        ['--redirect-url', 'https://a.example'],
        /unknown option.*\n\(Did you mean --redirect-uri\?\)/,
      ],
      [['--client-id', 'partnerapi-42'], /^--client-id "partnerapi-42" is no identifier of club: /],
      [['--programme', 'clob'], /^there is no programme "clob" \(did you mean "club"\?\)\n$/],
    ] as const;
    const runs = await jetwayEach(
      workFolder(t),
      mistakes.map(([options]) => [...add, ...options]),
    );
    for (const [index, [options, message]] of mistakes.entries()) {
      const ran = runs[index];
      assert.deepEqual([ran?.code, ran?.stdout], [2, ''], options.join(' '));
      assert.match(ran?.stderr ?? '', message);
    }
  });
});
