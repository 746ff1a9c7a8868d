// HOSTILE 47: senders that are slow on purpose, a thousand at once, and readers that read nothing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { type TimeLimits, usualTimeLimits } from '../../src/http/server.ts';
import { askTokens, type Club, openClub, paths, tokensIn } from '../support/club.ts';

/** Longer than a test may take. */
const never = 3_600_000;

const forms = { grant_type: 'client_credentials' };

/** A connection that has been made; what comes back is read unless said otherwise. */
async function open(t: TestContext, { url }: Club): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

/** Sends a text byte by byte for as long as anybody listens; at a pace that leaves time for others. */
function drip(socket: Socket, text: string): void {
  let position = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(text[position++] ?? 'x');
  }, 200);
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

test('HOSTILE 47: in earnest a slow sender is cut off after 10 to 20 s', () => {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = usualTimeLimits;
  for (const limit of [headersTimeout, requestTimeout]) {
    assert.ok(limit >= 10_000 && limit + connectionsCheckingInterval <= 20_000, String(limit));
  }
});

test(
  'HOSTILE 47: a thousand slow senders are cut off, and tokens are issued all the while',
  { timeout: 120_000 },
  async (t) => {
    // Long enough for a token request on a busy machine.
    const brief = { headersTimeout: 3000, requestTimeout: 4000, connectionsCheckingInterval: 500 };
    const club = await openClub(t, { timeLimits: { ...usualTimeLimits, ...brief } });
    const head = `POST ${paths.grant} HTTP/1.1\r\nHost: x\r\n`;
    const body = `${head}Content-Length: 1000\r\n\r\n`;
    const chunks = `${head}Transfer-Encoding: chunked\r\n\r\n400\r\n`;
    const ways: readonly ((socket: Socket) => void)[] = [
      () => {},
      (socket) => drip(socket, `${head}X-Header: `),
      (socket) => {
        socket.write(body);
        drip(socket, '');
      },
      (socket) => {
        socket.write(chunks);
        drip(socket, '');
      },
    ];
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => open(t, club)));
    const left = new Set(sockets);
    for (const [index, socket] of sockets.entries()) {
      ways[index % ways.length]?.(socket);
      void closed(socket).then(() => left.delete(socket));
    }
    let issued = 0;
    while (left.size > 0) {
      tokensIn(await askTokens(club, forms));
      issued += 1;
      await sleep(20);
    }
    assert.ok(issued > 0);
    assert.deepEqual(club.events, [], 'strangers must not be able to fill the log');
  },
);

const ends: Readonly<Record<string, readonly [Partial<TimeLimits>, string]>> = {
  'a head that never ends, by its own limit': [{ headersTimeout: 500 }, 'GET / HTTP/1.1\r\nX-'],
  'a body that never ends': [
    { requestTimeout: 500, headersTimeout: 500 },
    `POST ${paths.grant} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`,
  ],
};
for (const [name, [limit, text]] of Object.entries(ends)) {
  test(`HOSTILE 47: ${name} is cut off although it drips`, { timeout: 60_000 }, async (t) => {
    const others = { keepAliveTimeout: never, stillTimeout: never, requestTimeout: never };
    const timeLimits = {
      ...usualTimeLimits,
      ...others,
      connectionsCheckingInterval: 100,
      ...limit,
    };
    const club = await openClub(t, { timeLimits });
    const socket = await open(t, club);
    socket.write(text);
    drip(socket, '');
    await closed(socket);
  });
}

test(
  'HOSTILE 47: a connection without a next request is closed after a while',
  { timeout: 60_000 },
  async (t) => {
    const timeLimits = { ...usualTimeLimits, keepAliveTimeout: 300, stillTimeout: never };
    const club = await openClub(t, { timeLimits });
    const socket = await open(t, club);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed(socket);
  },
);

test('HOSTILE 47: who reads no answer is cut off', { timeout: 60_000 }, async (t) => {
  const others = { keepAliveTimeout: never, requestTimeout: never, headersTimeout: never };
  const timeLimits = { ...usualTimeLimits, ...others, stillTimeout: 1500 };
  const club = await openClub(t, { timeLimits });
  const socket = await open(t, club);
  socket.pause();
  // Until the buffers between the two ends are full: some systems have room for 33 MB. That the other
  // end is gone shows when something is written to it.
  const requests = `GET ${paths.page} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(500);
  const timer = setInterval(() => socket.write(requests), 20);
  t.after(() => clearInterval(timer));
  await closed(socket);
  tokensIn(await askTokens(club, forms));
});
