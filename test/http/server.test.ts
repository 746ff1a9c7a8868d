// Tests of the listening server itself: odd targets, odd framing, and its end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAdminApp } from '../../src/http/admin.ts';
import { admission } from '../../src/http/admission.ts';
import { App } from '../../src/http/endpoints.ts';
import { listen, usualTimeLimits } from '../../src/http/server.ts';
import { startJetway } from '../support/jetway.ts';
import { overload } from '../support/overload.ts';
import { until } from '../support/until.ts';
import { ask, rawExchange } from '../support/wire.ts';

test('HOSTILE 50: an absolute target without a path is the root, and nothing is there', async (t) => {
  const jetway = await startJetway(t);
  for (const target of ['http://e', 'http://e?x', 'https://e/']) {
    const answer = await rawExchange(
      jetway.url,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 404 [^]*\{"error":"not_found"\}$/, target);
  }
  assert.deepEqual(jetway.events, []);
});

test('every refusal by node or the adapter has an id, and is recorded once', async (t) => {
  const headersTimeout = 300;
  const timeLimits = { ...usualTimeLimits, headersTimeout, connectionsCheckingInterval: 50 };
  const jetway = await startJetway(t, { timeLimits });
  const host = 'Host: x\r\n';
  const close = `${host}Connection: close\r\n`;
  const odd = ['*', '/\\x', 'http://evil:99999/x', 'http://[bad/x', 'ftp://h/x'];
  const refused: readonly (readonly [request: string, status: number, method: string])[] = [
    ...odd.map((target) => [`OPTIONS ${target} HTTP/1.1\r\n${close}\r\n`, 400, 'OPTIONS'] as const),
    [`HEAD * HTTP/1.1\r\n${close}\r\n`, 400, 'HEAD'],
    [`PUT /x HTTP/1.1\r\n${host}Expect: x\r\nContent-Length: 1\r\n\r\n`, 417, 'PUT'],
    ['no request\r\n\r\n', 400, '-'],
    [`GET /x HTTP/1.1\r\n${host}a b: c\r\n\r\n`, 400, '-'],
    [`GET /x HTTP/1.1\r\n${host}A: ${'x'.repeat(100_000)}\r\n\r\n`, 431, '-'],
    ['GET /x HTTP/1.1\r\nHost: ', 408, '-'],
  ];
  for (const [request, status, method] of refused) {
    const name = request.slice(0, 60);
    const answer = await rawExchange(jetway.url, request);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), name);
    assert.equal(answer.split('HTTP/1.1').length, 2, name);
    if (method !== 'HEAD') assert.ok(answer.endsWith('\r\n\r\n{"error":"invalid_request"}'), name);
    assert.match(answer, /\r\nCache-Control: no-store\r\n/, name);
    const [, id] = /\r\nX-Request-Id: (\w{12})\r\n/.exec(answer) ?? [];
    const recorded = jetway.records
      .splice(0)
      .map((record) => [record.id, record.status, record.failure?.reason]);
    assert.deepEqual(recorded, [[id, status, 'unreadable']], name);
  }
});

test('a body that does not go on, or is no body any more, is refused under the id of its request', async (t) => {
  const requestTimeout = 300;
  const timeLimits = { ...usualTimeLimits, requestTimeout, headersTimeout: 200 };
  const jetway = await startJetway(t, {
    timeLimits: { ...timeLimits, connectionsCheckingInterval: 50 },
  });
  const head = 'POST /executive-club/api/grant HTTP/1.1\r\nHost: x\r\n';
  for (const [rest, status] of [
    ['Content-Length: 9\r\n\r\ngrant', 408],
    ['Transfer-Encoding: chunked\r\n\r\nno size\r\n', 400],
  ] as const) {
    const answer = await rawExchange(jetway.url, head + rest);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    const [, id] = /\r\nX-Request-Id: (\w{12})\r\n/.exec(answer) ?? [];
    await until(() => jetway.records.length > 0);
    const recorded = jetway.records.splice(0);
    assert.deepEqual(
      recorded.map((one) => [one.id, one.status, one.failure?.reason]),
      [[id, status, 'unreadable']],
    );
  }
});

const form = 'Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';

/** Sends a body in chunks of 16 KiB as long as it may; what came back, bytes sent, and milliseconds. */
async function pour(
  url: string,
  head: string,
  chunks: number,
): Promise<{ readonly text: string; readonly sent: number; readonly time: number }> {
  const startedAt = performance.now();
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  let sent = 0;
  socket.on('data', (data) => (text += data.toString()));
  socket.on('error', (error) => (text += `\n${error.message}`));
  const closed = new Promise((resolve) => {
    socket.on('close', resolve);
  });
  socket.write(head);
  for (let index = 0; index < chunks && !socket.destroyed; index += 1) {
    sent += chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  if (Number.isFinite(chunks)) socket.write('0\r\n\r\n');
  await closed;
  return { text, sent, time: performance.now() - startedAt };
}

test('HOSTILE 46: a refused body is read on for a while, so that its sender gets the answer', async (t) => {
  const jetway = await startJetway(t);
  const headers = `HTTP/1.1\r\n${form}Transfer-Encoding: chunked\r\n\r\n`;
  for (const [asked, status] of [
    ['POST /executive-club/api/grant', 413],
    ['PUT /executive-club/api/grant', 405],
    ['POST /nowhere', 404],
    ['POST /executive-club/verify/none', 401],
  ] as const) {
    // Closing with bytes unread, the kernel would send a reset: here, and the answer might be lost.
    const { text, time } = await pour(jetway.url, `${asked} ${headers}`, 40);
    assert.match(
      text,
      new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close\r\n[^]*\\}$`),
      asked,
    );
    assert.ok(time < 1500, `${time}`);
  }
});

test('HOSTILE 46: a refused body is read on for 1 MiB and two seconds at most', async (t) => {
  const jetway = await startJetway(t);
  const head = `POST /executive-club/api/grant HTTP/1.1\r\n${form}`;
  const endless = await pour(jetway.url, `${head}Transfer-Encoding: chunked\r\n\r\n`, Infinity);
  assert.match(endless.text, /^HTTP\/1\.1 413 /);
  // Beside what the kernels hold of it.
  assert.ok(endless.sent < 16_000_000, `${endless.sent}`);
  const startedAt = performance.now();
  const silent = await rawExchange(jetway.url, `${head}Content-Length: 1000000\r\n\r\nx`);
  const time = performance.now() - startedAt;
  assert.match(silent, /^HTTP\/1\.1 413 /);
  assert.ok(time > 1500 && time < 5000, `${time}`);
  assert.equal(jetway.records.length, 2);
});

test('HOSTILE 48: a body in a transfer coding of other layers is refused before it is read', async (t) => {
  const jetway = await startJetway(t);
  const { basic } = await jetway.addClient();
  const head = `POST /executive-club/api/grant HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${basic}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
  const body = '1d\r\ngrant_type=client_credentials\r\n0\r\n\r\n';
  const plain = await rawExchange(jetway.url, `${head}Transfer-Encoding: chunked\r\n\r\n${body}`);
  assert.match(plain, /^HTTP\/1\.1 200 /);
  const layered = `${head}Transfer-Encoding: gzip, chunked\r\n\r\n${body}`;
  assert.match(
    await rawExchange(jetway.url, layered),
    /^HTTP\/1\.1 400 [^]*Cache-Control: no-store[^]*\{"error":"invalid_request"\}$/,
  );
});

test('G-22: a server whose app is not there yet is unavailable for a moment, and says so', async (t) => {
  const server = await listen({ host: '127.0.0.1', port: 0 });
  t.after(server.close);
  const { status, headers, body } = await ask(server.url, '/any');
  assert.deepEqual(
    [status, headers['retry-after'], headers['cache-control'], body],
    [503, '1', 'no-store', '{"error":"temporarily_unavailable"}'],
  );
});

test('FAULTS 19, 23: a server told to stop answers what refused connections have sent since', async (t) => {
  const missing = { status: 404, headers: {}, body: '' };
  const app = new App(
    () => missing,
    () => missing,
  );
  app.endpoint('/it', {
    load: { kind: 'token', tooMany: () => ({ status: 503, headers: {}, body: '' }) },
    methods: new Set(['GET']),
    wrongMethod: () => missing,
    answer: () => missing,
  });
  const server = await listen({ host: '127.0.0.1', port: 0 }, app);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  overload(t, 'token');
  // These are read again before it, and take longer than idle connections have at the end.
  for (let resting = 0; resting < 5000; resting += 1) {
    const incoming = new IncomingMessage(new Socket());
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = true;
    admission.refuse('token', incoming, outgoing);
    outgoing.emit('finish');
  }
  const request = 'GET /it HTTP/1.1\r\nHost: x\r\n\r\n';
  socket.write(request);
  const [first] = (await once(socket, 'data')) as unknown[];
  assert.match(String(first), /^HTTP\/1\.1 503 [^]*\r\nConnection: keep-alive\r\n/);
  socket.write(request);
  const answered = once(socket, 'data');
  await server.close();
  const [second] = (await answered) as unknown[];
  assert.match(String(second), /^HTTP\/1\.1 503 [^]*\r\nConnection: close\r\n/);
});

test('a server told to stop does not wait for a sender that stands still', async () => {
  const server = await listen(
    { host: '127.0.0.1', port: 0 },
    createAdminApp({ parts: () => ({}), metrics: async () => '' }),
    { timeLimits: { ...usualTimeLimits, drainTime: 500 } },
  );
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  const head = 'GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue';
  socket.write(`${head}\r\n\r\na`);
  // Until the server has it, and says so.
  await once(socket, 'data');
  // The test ends by its time limit where the server never does.
  await server.close();
  socket.destroy();
});

test('FAULTS 19: a server told to stop cuts a connection whose answer is late, also one with a CONNECT behind', async (t) => {
  const missing = { status: 404, headers: {}, body: '' };
  for (const behind of ['', 'CONNECT h:80 HTTP/1.1\r\nHost: x\r\n\r\n']) {
    const begun = Promise.withResolvers<void>();
    const app = new App(
      () => missing,
      () => missing,
    );
    app.endpoint('/it', {
      load: { kind: 'login', tooMany: () => missing },
      methods: new Set(['GET']),
      wrongMethod: () => missing,
      answer: () => {
        begun.resolve();
        return Promise.withResolvers<never>().promise;
      },
    });
    const timeLimits = { ...usualTimeLimits, drainTime: 500 };
    const server = await listen({ host: '127.0.0.1', port: 0 }, app, { timeLimits });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    socket.write(`GET /it HTTP/1.1\r\nHost: x\r\n\r\n${behind}`);
    await begun.promise;
    const closed = once(socket, 'close');
    const stopped = server.close().then(() => 'stopped');
    const late = sleep(5000, 'still waiting', { ref: false });
    assert.equal(await Promise.race([stopped, late]), 'stopped', behind);
    await closed;
  }
});
