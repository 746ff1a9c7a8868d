// Tests of connections that begin with a PROXY header, version 2: whose they are, and which are cut.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';

import { App } from '../../src/http/endpoints.ts';
import { type ProxyTest } from '../../src/http/read_request.ts';
import { listen, type ListenOptions, type RunningServer } from '../../src/http/server.ts';
import { jsonReply } from '../../src/oauth/reply.ts';
import { createAuthority } from '../support/certificates.ts';
import { without } from '../support/tools.ts';

const loopback: ProxyTest = (address) => address === '127.0.0.1';

/** A server that answers with the caller's address. */
async function start(
  t: Pick<TestContext, 'after'>,
  isProxy: ProxyTest = loopback,
  options: ListenOptions = {},
): Promise<RunningServer> {
  const missing = jsonReply(404, { error: 'not_found' });
  const app = new App(
    () => missing,
    () => missing,
    isProxy,
  );
  app.endpoint('/who', {
    methods: new Set(['GET', 'POST']),
    wrongMethod: () => missing,
    answer: ({ address, body }) => jsonReply(200, { address: address(), bytes: body.length }),
  });
  const listener = { host: '127.0.0.1', port: 0 };
  const server = await listen(listener, app, { proxyHeaders: true, ...options });
  t.after(server.close);
  return server;
}

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/** A header with this command and family, addresses in hex and what follows them. */
function header(kind: string, rest: string): Buffer {
  const body = Buffer.from(rest, 'hex');
  const length = Buffer.from([body.length >> 8, body.length & 0xff]);
  return Buffer.concat([signature, Buffer.from(kind, 'hex'), length, body]);
}

const ports = 'd4310050';
/** From 192.0.2.7 to 198.51.100.1. */
const fourth = header('2111', `c0000207c6336401${ports}`);
/** From 2001:db8::7. */
const sixth = header('2121', `20010db8000000000000000000000007${'0'.repeat(32)}${ports}`);
/** The same with an additional part, of a type that nobody knows. */
const longer = header('2111', `c0000207c6336401${ports}ee0003414243`);
const own = header('2000', '');
const unspecified = header('2100', '');

function request(forwarded = ''): string {
  return `GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${forwarded}\r\n`;
}

async function textOf(socket: Socket): Promise<string> {
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  // An error only closes it: a server that cuts a connection may have its sender fail.
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
  return text;
}

/** Sends the parts one after the other; the body of the answer, empty where the connection was cut. */
async function bodyOf(server: RunningServer, ...parts: readonly (Buffer | string)[]) {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.setNoDelay(true);
  const text = textOf(socket);
  for (const part of parts) {
    await new Promise((resolve) => {
      socket.write(part, () => resolve(undefined));
    });
    await new Promise(setImmediate);
  }
  return (await text).split('\r\n\r\n')[1] ?? '';
}

function body(address: string): string {
  return JSON.stringify({ address, bytes: 0 });
}

test('the source of the header is the address of the connection', async (t) => {
  const server = await start(t);
  const sources = [
    [fourth, '192.0.2.7'],
    [longer, '192.0.2.7'],
    [sixth, '2001:db8::7'],
    [own, '127.0.0.1'],
    [unspecified, '127.0.0.1'],
  ] as const;
  for (const [sent, address] of sources) {
    assert.equal(
      await bodyOf(server, Buffer.concat([sent, Buffer.from(request())])),
      body(address),
    );
    const [one, other] = [sent.subarray(0, 5), sent.subarray(5)];
    assert.equal(await bodyOf(server, one, other, request()), body(address), 'in pieces');
  }
});

test('HOSTILE 21: what the connection itself then says of its address is not believed', async (t) => {
  const server = await start(t);
  const forged = request('X-Forwarded-For: 203.0.113.9\r\n');
  assert.equal(await bodyOf(server, fourth, forged), body('192.0.2.7'));
  // The proxy's own connections may carry it: another proxy before it has written that.
  assert.equal(await bodyOf(server, own, forged), body('203.0.113.9'));
});

test('a kept connection and its bodies go through', async (t) => {
  const server = await start(t);
  const first = `POST /who HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n${'x'.repeat(30_000)}`;
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const text = textOf(socket);
  socket.write(Buffer.concat([fourth, Buffer.from(first + request())]));
  const answers = (await text).match(/\{.*?\}/g);
  assert.deepEqual(answers, ['{"address":"192.0.2.7","bytes":30000}', body('192.0.2.7')]);
});

test('what is no header is cut, and so is whoever is no proxy', async (t) => {
  const server = await start(t);
  const malformed = [
    Buffer.from(request()),
    Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 54321 80\r\n'),
    header('1111', `c0000207c6336401${ports}`),
    header('2211', `c0000207c6336401${ports}`),
    header('2112', `c0000207c6336401${ports}`),
    header('2111', 'c0000207'),
    header('2111', 'ee'.repeat(5000)),
  ];
  for (const sent of malformed) assert.equal(await bodyOf(server, sent, request()), '');
  const stranger = await start(t, () => false);
  assert.equal(await bodyOf(stranger, fourth, request()), '');
});

test('HOSTILE 47: a header that does not come is not waited for', async (t) => {
  const timeLimits = {
    headersTimeout: 100,
    requestTimeout: 100,
    connectionsCheckingInterval: 50,
    keepAliveTimeout: 1000,
    stillTimeout: 60_000,
    drainTime: 10_000,
  };
  const server = await start(t, loopback, { timeLimits });
  // The test ends by its time limit where the server never does.
  assert.equal(await bodyOf(server, fourth.subarray(0, 20)), '');
});

test('told to stop does not wait for headers', async () => {
  const server = await start({ after: () => {} });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const text = textOf(socket);
  await once(socket, 'connect');
  // The test ends by its time limit where the server never does.
  await server.close();
  assert.equal(await text, '');
});

describe('before TLS', { skip: without('openssl') }, () => {
  test('the header comes first, in plain text', async (t) => {
    const authority = createAuthority('Jetway');
    const tls = { ...authority.issue('IP:127.0.0.1'), asksClients: false };
    const server = await start(t, loopback, { tls });
    for (const [sent, address] of [
      [sixth, '2001:db8::7'],
      [own, '127.0.0.1'],
    ] as const) {
      const below = connect(Number(new URL(server.url).port), '127.0.0.1');
      below.write(sent);
      const socket = connectTls({ socket: below, ca: authority.certificate, host: '127.0.0.1' });
      socket.write(request());
      assert.match(
        await textOf(socket),
        new RegExp(`\\r\\n\\r\\n${RegExp.escape(body(address))}$`),
      );
    }
  });
});
