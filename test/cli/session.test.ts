// Owns the promises of sessions: what a command prints otherwise is noticed, and is written with names for
// what varies.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { formatSessions, parseSessions, type PlayedStep, playSession } from './session.ts';

const add = '$ jetway gateway add --programme club --name Front';
const list = '$ jetway gateway list --json';

async function played(t: TestContext, text: string): Promise<readonly PlayedStep[]> {
  const [session] = parseSessions(`=== a test\n${text}`).sessions;
  assert.ok(session);
  return playSession(t, session);
}

const differs = ({ actual, expected }: PlayedStep): boolean => actual !== expected;

test('what is printed gets names, and is what the session says from then on', async (t) => {
  const first = await played(t, `${add}\n${list}\n$ jetway gateway show {gateway} --quiet\n`);
  assert.deepEqual(first.map(differs), [true, true, true]);
  const text = formatSessions('', [['a test', first.map(({ now }) => now)]]);
  assert.match(text, /^ {2}gateway identifier {2}\{gateway\} \| gateway secret {2}\{secret\}/m);
  assert.match(text, /^\[ \{ "gateway_id": "\{gateway\}", /m);
  assert.match(text, /^2> error: unknown option '--quiet'$/m);
  assert.match(text, / --quiet \[exit 2\]\n/);
  const again = await played(t, text.slice(text.indexOf('\n') + 1));
  assert.deepEqual(again.map(differs), [false, false, false]);
});

test('a line more, another exit code and another value of a name are noticed', async (t) => {
  const known = ['$ jetway gateway list', '2> there are no gateways'];
  for (const [lines, isOther] of [
    [known, false],
    [[`${known[0]} [exit 1]`, ...known.slice(1)], true],
    [[...known, ''], false],
    [['$ jetway gateway list', 'there are no gateways'], true],
    [['$ jetway gateway list'], true],
  ] as const) {
    const [step] = await played(t, `${lines.join('\n')}\n`);
    assert.ok(step);
    assert.equal(differs(step), isOther, lines.join('\n'));
  }
  const [, other] = await played(
    t,
    `$ ls .\n{one}.yaml\nprogrammes\n$ ls programmes\n{one}.yaml\n`,
  );
  assert.equal(other?.actual, 'club.yaml');
  assert.equal(other?.expected, 'config.yaml');
});

test('files, programmes and the clock are as the session has them', async (t) => {
  const steps = await played(
    t,
    `@ config other.yaml
  environment: live
@ programme Plain
  audience: https://api.example
@ file a/b.txt
  {"a": 1}
$ cat a/b.txt
{"a": 1}
$ jetway check --config other.yaml
2 programmes, 0 errors, 0 warnings
@ after 3 days
$ rm -r a
$ ls .
config.yaml
other.yaml
programmes
`,
  );
  assert.deepEqual(steps.filter(differs), []);
});

test('a server beside the commands is asked as in a transcript, and what it answers otherwise is noticed', async (t) => {
  const request = `> POST /club/api/grant grant_type=client_credentials [Authorization: Basic <base64 partnerapi-00001:{secret}>]`;
  const steps = await played(
    t,
    `@ serve
$ jetway client add --programme club --name A --role partner --client-id partnerapi-00001 --json | true [exit 1]
2> {rest}
$ jetway client add --programme club --name A --role partner --client-id partnerapi-00002 >/dev/null
$ jetway client rotate-secret partnerapi-00002
Client partnerapi-00002 of club has a new client secret. It is shown this once.

  client identifier  partnerapi-00002
  client secret      {secret}
  the old one        is valid until {time}
${request.replace('00001', '00002')} --- 200 {rest}
${request} --- 200 {rest}
$ until jetway client list --programme club --count
2
@ stop
`,
  );
  const [other, ...none] = steps.filter(differs);
  assert.deepEqual(none, []);
  assert.equal(
    other?.actual,
    '--- 401 {"error":"invalid_client"}\nwww-authenticate: Basic realm="Club"',
  );
  assert.deepEqual(other?.now.below, [
    '--- 401 {"error":"invalid_client"}',
    'www-authenticate: Basic realm="Club"',
  ]);
});

test('what a session cannot hold a request to is refused', async (t) => {
  const request = 'GET /club/verify/none --- 401 {rest}';
  for (const lines of [
    `> ${request}\nlog: "reason":"no such reason"`,
    `> ${request}\nwhy: no_such_reason`,
    `> after 60 seconds; ${request}`,
    `> now store breaks; ${request}`,
  ]) {
    await assert.rejects(played(t, `@ serve\n${lines}\n`), /^Error: a session says of a request/);
  }
});
