// Tests of the listening server itself: odd targets, odd framing, and its end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';

import { createAdminApp } from '../../src/http/admin.ts';
import { admission } from '../../src/http/admission.ts';
import { App } from '../../src/http/endpoints.ts';
import { listen, usualTimeLimits } from '../../src/http/server.ts';
import { startJetway } from '../support/jetway.ts';
import { overload } from '../support/overload.ts';
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
