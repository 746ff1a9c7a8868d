// Owns the promises of a member directory behind a hook, held against the reference server of docs/
// and against servers that break the contract.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import { testClock } from '../support/clock.ts';
import {
  answering,
  hookMember,
  hookSecret,
  memberDirectory,
  password,
  startHook,
  startReference,
} from '../support/hook.ts';
import { listenHere } from '../support/listen.ts';
import { attempt, noMatch, noMatchBody, openDirectory, refusal } from './directory_fixture.ts';

describe('the contract, with the reference server', { concurrency: true }, () => {
  test('a question holds exactly what docs say, and its answer is the member', async (t) => {
    const clock = testClock();
    const ann = hookMember('Ann', {
      level: 'AUTHN-LEVEL-12',
      membership_number: '1234567890123456',
    });
    const hook = await startReference(t, { members: [ann], now: () => clock.now() });
    const { directory } = openDirectory(hook.url, { clock });
    const told = await directory.verify(
      attempt(' An\u{200b}n ', { customerAddress: '192.0.2.7', addressVerified: true }),
    );
    assert.deepEqual(told, {
      outcome: 'match',
      member: {
        subject: 'airline-Ann',
        level: 'AUTHN-LEVEL-12',
        membershipNumber: '1234567890123456',
      },
    });
    assert.equal(await directory.isActive('airline-Ann' as Subject), true);
    const [verify, status] = hook.bodies;
    assert.match(String(verify?.['request_id']), /^[\w-]{22}$/);
    assert.notEqual(verify?.['request_id'], status?.['request_id']);
    assert.deepEqual(hook.asked, ['/hook/verify', '/hook/status']);
    assert.deepEqual(verify, {
      v: 1,
      request_id: verify?.['request_id'],
      programme: 'second-club',
      username: 'Ann',
      password,
      client_id: 'Partner1',
      customer_ip: '192.0.2.7',
      ip_verified: true,
    });
    assert.deepEqual(status, {
      v: 1,
      request_id: status?.['request_id'],
      programme: 'second-club',
      subject: 'airline-Ann',
    });
    const { host, connection, ...headers } = hook.headers[1] ?? {};
    const { 'jetway-signature': signature, ...rest } = headers;
    assert.equal(hook.url, `http://${host}/hook`);
    assert.equal(connection, 'keep-alive');
    assert.match(String(signature), /^v1=[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(JSON.stringify(status))),
      accept: 'application/json',
      'user-agent': 'Jetway',
      'jetway-timestamp': '1767323045',
    });
    assert.equal(hook.connections(), 1, 'the connection is kept');
  });

  test('HOSTILE 89: a byte order mark, and parameters of the type, are read over', async (t) => {
    for (const type of [
      'application/json; charset=utf-8; profile="x"',
      'Application/JSON;Charset="UTF-8";',
      'application/json;charset=us-ascii',
      'application/json; odata.metadata=none',
    ]) {
      const hook = await startHook(
        t,
        answering(200, `\u{feff}${noMatchBody}\r\n`, { 'Content-Type': type }),
      );
      const { directory } = openDirectory(hook.url);
      assert.deepEqual(await directory.verify(attempt('ann')), noMatch, type);
    }
  });

  test('unknown, wrong, blocked: no match; a disabled member is inactive (G-23, HOSTILE 16)', async (t) => {
    const clock = testClock();
    const members = [hookMember('ann'), hookMember('off', { active: false })];
    const hook = await startReference(t, { members, now: () => clock.now() });
    const { directory } = openDirectory(hook.url, { clock });
    assert.deepEqual(await directory.verify(attempt('nobody')), noMatch);
    assert.deepEqual(await directory.verify(attempt('ann', { password: 'wrong' })), noMatch);
    assert.deepEqual(await directory.verify(attempt('off')), noMatch);
    assert.equal(await directory.isActive('airline-off' as Subject), false);
    assert.equal(await directory.isActive('airline-gone' as Subject), false);
    assert.deepEqual(hook.bodies[0]?.['customer_ip'], null);
    assert.deepEqual(hook.bodies[0]?.['ip_verified'], false);
  });

  test('a secret is replaced without a moment in which nobody logs in', async (t) => {
    const clock = testClock();
    const old = 'the-old-secret-0123456789abcdef-0123';
    const members = [hookMember('ann')];
    const server = (...secrets: string[]): RequestListener =>
      memberDirectory({ secrets, members, now: () => clock.now() });
    const hook = await startHook(t, server(old));
    const before = openDirectory(hook.url, { clock, credentials: { secrets: [old] } });
    const during = openDirectory(hook.url, { clock, credentials: { secrets: [hookSecret, old] } });
    const after = openDirectory(hook.url, { clock, credentials: { secrets: [hookSecret] } });
    const works = async ({ directory }: typeof before): Promise<void> => {
      assert.equal((await directory.verify(attempt('ann'))).outcome, 'match');
    };
    await works(before);
    await works(during);
    hook.become(server(hookSecret));
    await works(during);
    await works(after);
    assert.match(await refusal(before.directory.verify(attempt('ann'))), /: status 401$/);
  });

  test('a signature of another time is refused: what was overheard cannot be used', async (t) => {
    const clock = testClock();
    const hook = await startReference(t, { now: () => clock.now() - 301_000 });
    const { directory } = openDirectory(hook.url, { clock });
    assert.match(await refusal(directory.verify(attempt('ann'))), /: status 401$/);
  });
});

describe('answers that are none', { concurrency: true }, () => {
  const huge = `{"outcome":"no_match","pad":"${'a'.repeat(17_000)}"}`;
  const broken: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
    'a redirect': [
      answering(307, '', { location: 'https://elsewhere.example/verify' }),
      /: status 307: redirects are not followed$/,
    ],
    'another success': [answering(201, noMatchBody), /: status 201$/],
    'an error of the server': [answering(500, noMatchBody), /: status 500$/],
    'no such page': [answering(404, noMatchBody), /: status 404$/],
    'a web page': [
      answering(200, noMatchBody, { 'content-type': 'text/html' }),
      /: the answer is not application\/json$/,
    ],
    'no type': [answering(200, noMatchBody, {}), /: the answer is not application\/json$/],
    'another charset': [
      answering(200, noMatchBody, { 'content-type': 'application/json; charset=latin1' }),
      /: the answer is in another charset than utf-8$/,
    ],
    'a compressed body': [
      answering(200, noMatchBody, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      }),
      /: the answer is compressed, which nobody asked for$/,
    ],
    'too long a body, announced': [
      (request, response) => {
        request.resume();
        // Nothing of it has to come.
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 16_385 });
        response.flushHeaders();
      },
      /larger than 16384 bytes$/,
    ],
    'too long a body, unannounced': [
      (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(huge.slice(0, 9000));
        response.end(huge.slice(9000));
      },
      /larger than 16384 bytes$/,
    ],
    'too long a head': [
      answering(200, noMatchBody, { 'content-type': 'application/json', pad: 'a'.repeat(17_000) }),
      /: no connection \(HPE_HEADER_OVERFLOW\)$/,
    ],
    'something else': [answering(200, '[]'), /: an object is expected where there is none$/],
    'a member too many': [
      answering(200, '{"outcome":"no_match","why":"unknown"}'),
      /: it has a member that the contract does not know$/,
    ],
    'a member too few': [answering(200, '{"outcome":"match"}'), /: a match without member$/],
    'half a body': [
      (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 30 });
        response.write('{"outcome":');
        setImmediate(() => response.destroy());
      },
      /: the answer broke off$/,
    ],
    'a connection that ends': [
      (request) => {
        request.socket.destroy();
      },
      /: no connection \(ECONNRESET\)$/,
    ],
  };
  for (const [name, [listener, message]] of Object.entries(broken)) {
    test(`${name}: unavailable, in words that name no member`, async (t) => {
      const hook = await startHook(t, listener);
      const { directory } = openDirectory(hook.url);
      const told = await refusal(directory.verify(attempt('ann')));
      assert.match(told, message);
      const id = String(hook.bodies[0]?.['request_id'] ?? '');
      assert.ok(
        told.startsWith(
          `the member directory of second-club did not answer verify, request ${id}: `,
        ),
      );
      // Without the request's identifier, which is random and may spell anything.
      const words = told.replace(id, '');
      assert.ok(!words.includes(password) && !words.includes('ann'), told);
      assert.deepEqual(new Set(hook.asked), new Set(['/hook/verify']), 'nowhere else');
    });
  }

  test('nobody listens', async (t) => {
    const hook = await startHook(t, answering(200, noMatchBody));
    hook.close();
    const { directory } = openDirectory(hook.url);
    const told = await refusal(Promise.resolve(directory.isActive('airline-ann' as Subject)));
    assert.match(told, /did not answer status, request [\w-]{22}: no connection \(ECONNREFUSED\)$/);
    assert.ok(!told.includes('airline-ann'));
  });

  test('not a word of HTTP', async (t) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('220 smtp ready\r\n');
    });
    const { directory } = openDirectory(`http://${await listenHere(t, server)}`);
    assert.match(await refusal(directory.verify(attempt('ann'))), /: no connection \(HPE_/);
  });
});

test('HOSTILE 17 63: a declined login asks about a random name, and takes and tells the same', async (t) => {
  const clock = testClock();
  const hook = await startReference(t, { members: [hookMember('bob')], now: () => clock.now() });
  const { directory } = openDirectory(hook.url, { clock });
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
    assert.equal(await directory.decline(attempt('bob')), undefined);
  }
  assert.deepEqual(hook.asked, Array<string>(4).fill('/hook/verify'));
  for (const { username, password: asked } of [hook.bodies[1] ?? {}, hook.bodies[3] ?? {}]) {
    assert.notEqual(username, 'bob');
    assert.notEqual(asked, password);
  }
  hook.become(answering(500, ''));
  const told = await refusal(directory.verify(attempt('ann')));
  const declined = await refusal(directory.decline(attempt('bob')));
  const words = (text: string): string => text.replace(/request [\w-]{22}/, '');
  assert.equal(words(declined), words(told));
});
