// Owns the promises of transcripts: what differs from them fails, wherever it stands.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { shippedProgramme } from '../jetway.ts';
import { Bindings } from './bindings.ts';
import { play } from './play.ts';
import { parseTranscript, spelledOut } from './transcript.ts';

const head = `client = partnerapi-12345
secret = a-secret-of-some-length
/executive-club/api/grant sends Authorization: Basic {basic}
/executive-club/api/grant sends Content-Type: application/x-www-form-urlencoded

== a login
LOGIN GET /executive-club/auth/login?client_id={client}&response_type=code
--- 302
Location: {redirect_uri}?code={code}

`;

function played(t: TestContext, text: string): Promise<unknown> {
  const yaml = shippedProgramme('executive-club');
  return play(t, 'executive-club', yaml, parseTranscript(head + text));
}

const code = 'POST /executive-club/api/grant grant_type=authorization_code&code={code}';
const tokens = `200 {"access_token":"{access}","refresh_token":"{refresh}","scope":"AUTHN-LEVEL-10",
"token_type":"bearer","expires_in":1800,"ba_refresh_expires_in":86400}`;
const refused = '400 {"error":"invalid_grant"}';

test('HOSTILE 26: of two requests at once each gets one of the answers, whichever it is', async (t) => {
  await played(t, `== twice\n${code}\n&&\n${code}\n--- ${refused}\n&&\n${tokens}\n`);
  for (const others of [`${refused}\n&&\n${refused}`, `${tokens}\n&&\n${tokens}`]) {
    const wrong = played(t, `== twice\n${code}\n&&\n${code}\n--- ${others}\n`);
    await assert.rejects(wrong, /AssertionError|is not new/);
  }
});

test('a line that is not in the log fails, and so does one of an exchange before', async (t) => {
  const unknown = code.replace('{code}', 'x');
  const inLog = '\nlog: "reason":"invalid_code"';
  await played(t, `== unknown\n${unknown}\n--- ${refused}${inLog}\n`);
  const before = `== unknown\n${unknown}\n--- ${refused}\n\n== good\n${code}\n--- ${tokens}${inLog}\n`;
  await assert.rejects(played(t, before), /log: "reason":"invalid_code"/);
});

test('a client that is disabled before a request is refused', async (t) => {
  const answer = '401 {"error":"invalid_client"}\nWWW-Authenticate: Basic realm="Executive Club"';
  await played(t, `== disabled\nnow {client} disabled\n${code}\n--- ${answer}\n`);
});

test('what stands in one line is what it is short for', () => {
  const short = `
== a used code: after 5 seconds; POST /t code=x [X-Key: k] [no Accept] --- 400 {"error":"no"} [Retry-After: 5]
== a login: now server restarts with name: Club; GET /a --- 302 /b
`;
  const long = `
== a used code
after 5 seconds
POST /t
X-Key: k
no Accept

code=x
---
400
Retry-After: 5

{"error":"no"}

== a login
now server restarts
  name: Club
GET /a
---
302
Location: /b
`;
  assert.deepEqual(parseTranscript(short), parseTranscript(long));
});

test('a request is sent once with each of its alternatives', () => {
  const message = { start: '{=GET|PUT} /a', headers: {}, body: 'x={=|{code}0|b}&y' };
  assert.deepEqual(
    spelledOut(message).map(({ start, body }) => `${start} ${body}`),
    ['GET', 'PUT'].flatMap((method) => ['', '{code}0', 'b'].map((x) => `${method} /a x=${x}&y`)),
  );
});

test('a change of nobody fails', async (t) => {
  const answer = '400 {"error":"invalid_grant"}';
  const text = `== disabled: now {code} disabled; ${code}0 --- ${answer}\n`;
  await assert.rejects(played(t, text), /nobody is called \{code\}/);
});

test('a name is bound at first sight, to what is new, and is the same ever after', () => {
  const names = new Bindings({ client: 'c' });
  assert.equal(names.match('{client} {token} {token} {any}', 'c t t whatever'), 'c t t whatever');
  assert.notEqual(names.match('{token}', 'u'), 'u');
  assert.throws(() => names.match('{other}', 't'), /other is not new/);
  assert.throws(() => names.fill('{unheard}'), /nothing is known of \{unheard\}/);
});

test('a cause that is told otherwise fails, and so does a look that does not fit', async (t) => {
  const unknown = `== unknown\n${code.replace('{code}', '{f*64}')}\n--- ${refused}\n`;
  const why = 'why: invalid_code | grant | code.lifetime | a code of the programme | {any}\n';
  await played(t, unknown + why);
  await assert.rejects(played(t, unknown + why.replace('lifetime', 'length')), /AssertionError/);
  const yaml = shippedProgramme('executive-club');
  const digits = parseTranscript(`look code = [0-9]{64}\n${head}`);
  await assert.rejects(play(t, 'executive-club', yaml, digits), /AssertionError/);
});

test('the store fails until it heals', async (t) => {
  const away = '503 {"error":"temporarily_unavailable"}\nRetry-After: 5';
  const fails = `== away\nnow store fails spendCode\n${code}\n--- ${away}\n\n`;
  await played(t, `${fails}== well\nnow store heals\n${code}\n--- ${tokens}\n`);
  await assert.rejects(played(t, `${fails}== well\n${code}\n--- ${tokens}\n`), /AssertionError/);
});
