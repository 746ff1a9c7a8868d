// The verb `why`: from the id that a partner quotes to the line of YAML, while the server runs and from
// its log.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { PartnerView } from '../../../src/cli/why/partner_text.ts';
import type { Explanation } from '../../../src/server/why/explain.ts';
import { operate, type OperatedSite, told } from '../../server/operated.ts';
import { rawExchange } from '../../support/wire.ts';
import { jetway, jetwayJson, programmeText, type Ran } from '../command.ts';

const harbour = programmeText('Harbour', 'throttle: { limit: 1, window: 1m }\n');

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

async function refusedId(
  { server }: OperatedSite,
  path: string,
  {
    headers,
    body = '',
  }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<string> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(server.url + path, {
    method: 'POST',
    headers: { ...type, ...headers },
    body,
  });
  assert.notEqual(answer.status, 200);
  return answer.headers.get('x-request-id') ?? '';
}

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});

/** The lines of a sheet by label; further lines of one are joined. */
function sheetOf({ stdout }: Ran): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  let last = '';
  for (const line of stdout.split('\n').slice(1, -1)) {
    const [, label = '', value = ''] = /^  (\S+(?: \S+)*)? {2,}(.*)$/.exec(line) ?? [];
    last = label || last;
    found[last] = found[last] === undefined ? value : `${found[last]} | ${value}`;
  }
  return found;
}

test('from the id of an answer to the line of YAML in one command', async (t) => {
  const site = await operate(t, told, { 'programmes/harbour.yaml': harbour });
  const { folder } = site;
  const add = ['client', 'add', '--programme', 'harbour', '--name', 'P', '--role', 'partner'];
  const added = (await jetwayJson(folder, add)) as Client;
  const { client_id: id, client_secret: secret } = added;
  const own = { headers: basic(id, secret), body: 'grant_type=client_credentials' };
  const file = join(folder, 'programmes/harbour.yaml');

  await t.test('of the programme’s own file', async () => {
    await fetch(`${site.server.url}/harbour/api/grant`, {
      ...own,
      method: 'POST',
      headers: { ...own.headers, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const throttled = await refusedId(site, '/harbour/api/grant', own);
    const ran = await jetway(folder, ['why', throttled.toLowerCase()]);
    assert.equal(ran.code, 0, ran.stderr);
    const { rule, answer, ...rest } = sheetOf(ran);
    const line = harbour.split('\n').indexOf('throttle: { limit: 1, window: 1m }') + 1;
    assert.equal(rule, `${file}:${line}:13 | throttle.limit: 1`);
    assert.match(
      answer ?? '',
      /^status 429 \| variants\/grant\.yaml:\d+:5 \| errors\.reasons\.throttled$/,
    );
    assert.match(rest['retry after'] ?? '', /^\d+(?:\.\d+)? s$/);
    assert.deepEqual(
      { ...rest, 'retry after': '' },
      {
        request: 'POST /harbour/api/grant (token)',
        programme: 'harbour',
        client: `${id} (proved)`,
        grant: 'client_credentials',
        step: 'throttle: counting the request against the limit',
        expected: 'at most 1 request within 60 s, the limit of every client',
        came: 'more',
        'retry after': '',
      },
    );
    assert.match(
      ran.stdout,
      new RegExp(`^${throttled} was refused at 20\\d\\d-[-:.TZ0-9]+: throttled\n`),
    );
  });

  await t.test('of requests that reach no endpoint', async () => {
    for (const [request, expected, came] of [
      ['GET / HTTP/1.1\r\nHost: a b', 'one Host header, of a host', 'none, several or another'],
      ['GET / HTTP/1.1\r\nHost: x\r\nA : b', 'a request of HTTP', 'HPE_INVALID_HEADER_TOKEN'],
      ['GET / HTTP/1.1\r\nHost: x\r\nExpect: x', 'no expectation but 100-continue', 'another'],
      ['GET * HTTP/1.1\r\nHost: x\r\nConnection: close', 'a path, or the URL of one', 'another'],
      ['CONNECT x:1 HTTP/1.1\r\nHost: x', 'GET or POST', 'another method'],
    ] as const) {
      const answer = await rawExchange(site.server.url, `${request}\r\n\r\n`);
      const [, unread = ''] = /^X-Request-Id: (\w{12})\r$/m.exec(answer) ?? [];
      const ran = await jetway(folder, ['why', unread]);
      assert.equal(ran.code, 0, request);
      assert.match(ran.stdout, /: (?:unreadable|method_not_allowed)\n/);
      const sheet = sheetOf(ran);
      assert.ok(sheet['expected']?.startsWith(expected), ran.stdout);
      assert.ok(sheet['came']?.startsWith(came), ran.stdout);
    }
  });

  const wrong = await refusedId(site, '/harbour/api/grant', {
    ...own,
    headers: basic(id, 'not-the-secret'),
  });

  await t.test('of the built-in variant, and what the partner may be sent of it', async () => {
    const found = (await jetwayJson(folder, ['why', wrong])) as Explanation;
    const [, variantLine = ''] =
      /^variants\/grant\.yaml:(\d+):\d+$/.exec(found.rule_line?.at ?? '') ?? [];
    const text = readFileSync('src/variants/grant.yaml', 'utf8').split('\n')[
      Number(variantLine) - 1
    ];
    assert.match(text ?? '', /methods: \[basic\]/);
    assert.equal(found.claimed_client, id);
    assert.equal(found.came, 'another one, of 14 characters (small letters, signs)');
    const sent = (await jetwayJson(folder, ['why', wrong, '--partner'])) as PartnerView;
    const { cause, expected, came, status, error } = sent;
    assert.match(cause, /The answer never tells which\.$/);
    assert.deepEqual([status, error, expected, came], [401, 'invalid_client', null, null]);
    const words = await jetway(folder, ['why', wrong, '--partner']);
    assert.ok(
      words.stdout.startsWith(
        `Your request ${wrong} of ${sent.time}, POST /harbour/api/grant, was answered with 401 (invalid_client).\n`,
      ),
    );
    for (const hidden of [id, 'yaml', 'not-the-secret', secret])
      assert.ok(!words.stdout.includes(hidden));
  });

  await t.test('a client of another programme', async () => {
    const elsewhere = await refusedId(site, '/club/api/grant', own);
    const { notes } = (await jetwayJson(folder, ['why', elsewhere])) as Explanation;
    assert.deepEqual(notes, ['harbour has a client of this identifier']);
  });

  await t.test('a file that has changed since is named', async () => {
    writeFileSync(file, `# a line more\n${harbour}`);
    const { notes } = (await jetwayJson(folder, ['why', wrong])) as Explanation;
    assert.deepEqual(notes, [
      `${file} has changed since: lines are those of the version that is served`,
    ]);
    writeFileSync(file, harbour);
  });

  let lost = '';
  await t.test('a path at which nothing is', async () => {
    lost = await refusedId(site, '/harbour/api/grant/');
    const found = (await jetwayJson(folder, ['why', lost])) as Explanation;
    assert.deepEqual(
      [found.reason, found.came, found.rule_line],
      ['not_found', '/harbour/api/grant/', undefined],
    );
  });

  await t.test(
    'an id that is not known: how far the memory reaches, and where else to look',
    async () => {
      const { code, stdout, stderr } = await jetway(folder, ['why', '0000']);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /^the server remembers no refused request 0000 \(it remembers 9 since 20[^)]+\): look in its log, jetway why 0000 --log FILE\n$/,
      );
    },
  );

  await t.test('from the log of the server itself', async () => {
    for (const one of [wrong, lost]) {
      const found = (await jetwayJson(folder, ['why', one])) as Explanation;
      const { stderr } = site.server.printed();
      const ran = await jetway(folder, ['why', one, '--log', '-', '--json'], stderr);
      assert.equal(ran.code, 0, ran.stderr);
      const logged = JSON.parse(ran.stdout) as Explanation;
      const { reason, step, expected, came, rule_line: rule, answer_line: answer } = logged;
      assert.deepEqual(
        [reason, step, expected, came, rule, answer],
        [found.reason, found.step, found.expected, found.came, found.rule_line, found.answer_line],
      );
    }
  });

  await t.test('from a log, by the files as they are now', async () => {
    const found = (await jetwayJson(folder, ['why', wrong])) as Explanation;
    const {
      rule_line: _rule,
      answer_line: _answer,
      step_does: _does,
      notes: _notes,
      ...line
    } = found;
    const log = [
      JSON.stringify({ time: '2026-01-01T00:00:00.000Z', level: 'info', event: 'reloaded' }),
      `Jan 01 host jetway[7]: ${JSON.stringify({ level: 'info', event: 'request', ...line, duration_ms: 3 })}`,
      JSON.stringify({
        time: line.time,
        level: 'error',
        event: 'unavailable',
        request_id: wrong,
        detail: 'gone\n  at',
      }),
      'no JSON',
      '',
    ].join('\n');
    writeFileSync(join(folder, 'server.log'), log);
    for (const [name, input] of [
      ['server.log', ''],
      ['-', log],
    ] as const) {
      const again = JSON.parse(
        (await jetway(folder, ['why', wrong, '--log', name, '--json'], input)).stdout,
      ) as Explanation;
      assert.equal(again.rule_line?.at, found.rule_line?.at);
      assert.deepEqual(again.notes, [
        'the log: unavailable: gone',
        'lines are those of the files as they are now',
      ]);
    }
    const missing = await jetway(folder, ['why', '0000', '--log', 'server.log']);
    assert.deepEqual(missing, {
      code: 1,
      stdout: '',
      stderr:
        'server.log has no refused request 0000 (it begins at 2026-01-01T00:00:00.000Z): look in older logs, or ask the server without --log\n',
    });
  });
});
