// Owns the promises of a member directory behind a hook, held against the reference server of docs/
// and against servers that break the contract.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { usualLimits } from '../../src/members/hook_connection.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
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
import { attempt, openDirectory } from './directory_fixture.ts';

const noMatch = { outcome: 'no_match' } as const;
const noMatchBody = JSON.stringify(noMatch);

/** The message of the `Unavailable` that a call must reject with. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Unavailable, String(error));
  return error.message;
}

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
      /: the answer is not application\/json$/,
    ],
    'a compressed body': [
      answering(200, noMatchBody, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      }),
      /: the answer is compressed, which nobody asked for$/,
    ],
    'too long a body, announced': [answering(200, huge), /larger than 16384 bytes$/],
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
    "a client's subject (C-9)": [
      answering(200, '{"outcome":"match","member":{"subject":"client:Partner1"}}'),
      /: member\.subject looks like a client's$/,
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
      assert.ok(!told.includes(password) && !told.includes('ann'), told);
      assert.deepEqual(new Set(hook.asked), new Set(['/hook/verify']), 'nowhere else');
    });
  }

  test('nobody listens', async (t) => {
    const hook = await startHook(t, answering(200, noMatchBody));
    hook.close();
    const { directory } = openDirectory(hook.url);
    const told = await refusal(directory.isActive('airline-ann' as Subject));
    assert.match(told, /did not answer status, request [\w-]{22}: no connection \(ECONNREFUSED\)$/);
    assert.ok(!told.includes('airline-ann'));
  });

  test('not a word of HTTP', async (t) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('220 smtp ready\r\n');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { directory } = openDirectory(`http://127.0.0.1:${port}`);
    assert.match(await refusal(directory.verify(attempt('ann'))), /: no connection \(HPE_/);
  });
});

describe('answers that take too long', { concurrency: true }, () => {
  const slow: Readonly<Record<string, RequestListener>> = {
    'a hook that is silent': (request) => {
      request.resume();
    },
    'a hook that does not even read': () => undefined,
    'a hook that begins and never ends': (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"outcome":');
    },
    'a hook that sends a byte now and then': (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
    'a hook that answers with hints alone': (request, response) => {
      request.resume();
      const timer = setInterval(() => response.writeProcessing(), 20);
      response.on('close', () => clearInterval(timer));
    },
  };
  for (const [name, listener] of Object.entries(slow)) {
    test(`${name}: unavailable after 1.5 s`, async (t) => {
      const hook = await startHook(t, listener);
      const { directory } = openDirectory(hook.url);
      const begun = performance.now();
      assert.match(
        await refusal(directory.verify(attempt('ann'))),
        /: no answer within 1\d{3} ms$/,
      );
      const taken = performance.now() - begun;
      assert.ok(taken > 1400 && taken < 4000, `${taken} ms`);
    });
  }

  test('a connection that nobody accepts: unavailable after 300 ms', async (t) => {
    // The kernel completes as many connections as the backlog has room for; the next must wait.
    const { port, stop } = await fullPort();
    t.after(stop);
    const { directory } = openDirectory(`http://127.0.0.1:${port}`);
    const begun = performance.now();
    assert.match(await refusal(directory.verify(attempt('ann'))), /: no connection within 300 ms$/);
    const taken = performance.now() - begun;
    assert.ok(taken > 250 && taken < 1400, `${taken} ms`);
  });

  test('a kept connection that the hook closed meanwhile is no failure', async (t) => {
    const hook = await startHook(t, (request, response) => {
      request.resume();
      // As servers do that give up idle connections without a word.
      response.on('finish', () => setTimeout(() => request.socket.resetAndDestroy(), 5));
      response.writeHead(200, { 'content-type': 'application/json' }).end(noMatchBody);
    });
    const { directory } = openDirectory(hook.url);
    for (const _ of Array.from({ length: 20 })) {
      assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
      await new Promise((resolve) => {
        setTimeout(resolve, 4);
      });
    }
  });
});

/** A port whose queue of connections is full, as of a machine that hangs. */
async function fullPort(): Promise<{ readonly port: number; readonly stop: () => void }> {
  const { spawn } = await import('node:child_process');
  const program = `const server = require('net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('fs').writeSync(1, String(server.address().port) + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
  });
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  const stop = (): void => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  };
  return { port, stop };
}

describe('a hook in trouble (FAULTS 13, 14)', { concurrency: true }, () => {
  const brief = { ...usualLimits, total: milliseconds(150) };

  test('after five failures it is left alone; back, it is in use within 5 s', async (t) => {
    const hook = await startHook(t, () => undefined);
    const { directory, clock } = openDirectory(hook.url, { limits: brief });
    const verify = (): Promise<unknown> => directory.verify(attempt('ann'));
    for (const _ of Array.from({ length: 5 })) await refusal(verify());
    assert.equal(hook.asked.length, 5);
    const begun = performance.now();
    for (const _ of Array.from({ length: 100 })) {
      assert.match(await refusal(verify()), /: it failed too often: left alone$/);
    }
    assert.ok(performance.now() - begun < 1000, 'refused at once');
    assert.equal(hook.asked.length, 5);
    hook.become(answering(200, noMatchBody));
    clock.advance(2);
    assert.deepEqual(await verify(), noMatch);
    assert.deepEqual(await verify(), noMatch);
  });

  test('flapping: each time it is there again it is used again', async (t) => {
    const hook = await startHook(t, () => undefined);
    const { directory, clock } = openDirectory(hook.url, { limits: brief });
    for (const _ of Array.from({ length: 3 })) {
      hook.become(answering(503, ''));
      for (let time = 0; time < 8; time += 1) await refusal(directory.verify(attempt('ann')));
      clock.advance(2);
      await refusal(directory.verify(attempt('ann')));
      hook.become(answering(200, noMatchBody));
      await refusal(directory.verify(attempt('ann')));
      clock.advance(2);
      assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
    }
    // Five failures, one probe in vain, one that succeeds: nothing else was asked.
    assert.equal(hook.asked.length, 3 * 7);
  });

  test('a question that the hook chokes on does not shut the directory for others', async (t) => {
    const hook = await startHook(t, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { username } = JSON.parse(Buffer.concat(chunks).toString()) as { username: string };
        answering(username === 'ann' ? 200 : 500, noMatchBody)(request, response);
      });
    });
    const { directory } = openDirectory(hook.url);
    for (const _ of Array.from({ length: 20 })) await refusal(directory.verify(attempt('bomb')));
    assert.deepEqual(await directory.verify(attempt('ann')), noMatch);
  });

  test('a slow hook: so many at once, so many wait, the rest is refused at once; nobody waits for longer than the limit', async (t) => {
    let inside = 0;
    let most = 0;
    const hook = await startHook(t, (request, response) => {
      inside += 1;
      most = Math.max(most, inside);
      setTimeout(() => {
        inside -= 1;
        answering(200, noMatchBody)(request, response);
      }, 200);
    });
    const limits = { ...usualLimits, total: milliseconds(500) };
    const { directory } = openDirectory(hook.url, { limits });
    const begun = performance.now();
    const times: number[] = [];
    const settled = await Promise.allSettled(
      Array.from({ length: 40 }, () =>
        directory.verify(attempt('ann')).finally(() => times.push(performance.now() - begun)),
      ),
    );
    assert.equal(most, 4);
    const answered = settled.filter(({ status }) => status === 'fulfilled').length;
    assert.ok(answered >= 4 && answered <= 12, `${answered} answered`);
    const reasons = settled.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as Error).message.replace(/^.*?: /, '')] : [],
    );
    assert.equal(reasons.filter((reason) => reason === 'too many are waiting already').length, 20);
    assert.ok(reasons.includes('too many are asked for already'));
    assert.ok(Math.max(...times) < 1500, `${Math.max(...times)} ms`);
    assert.deepEqual(await directory.verify(attempt('ann')), noMatch, 'and it goes on');
  });
});
