// HOSTILE 46, 48 and 64: HTTP itself used against the server, over sockets and in numbers; else in
// hostile_http.transcript.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';

import { createAdminApp } from '../../src/http/admin.ts';
import { listen } from '../../src/http/server.ts';
import { askPartnerToken, type Club, openClub, paths, tokensIn } from '../support/club.ts';
import { rawExchange } from '../support/wire.ts';

const form = 'grant_type=client_credentials';

/** A token request as text; `headers` come after the usual ones, `body` as it is. */
function tokenRequest(club: Club, headers: readonly string[], body: string): string {
  return [
    `POST ${paths.grant} HTTP/1.1`,
    'Host: tokens.example',
    `Authorization: ${club.client.basic}`,
    'Content-Type: application/x-www-form-urlencoded',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

/** Status codes of all answers in a stretch of HTTP/1.1. */
function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

test('HOSTILE 46: an endless body is refused, and little more of it is read', async (t) => {
  const club = await openClub(t);
  const head = tokenRequest(club, ['Transfer-Encoding: chunked'], '');
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const { text, sent } = await new Promise<{ text: string; sent: number }>((resolve) => {
    let answer = '';
    let bytes = 0;
    const socket = connectTo(club);
    const pour = (): void => {
      while (!socket.destroyed && bytes < 100_000_000) {
        bytes += chunk.length;
        if (!socket.write(chunk)) break;
      }
    };
    socket.write(head);
    pour();
    socket.on('drain', pour);
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ text: answer, sent: bytes }));
  });
  assert.deepEqual(statuses(text), [413]);
  assert.match(text, /\r\nconnection: close\r\n/i);
  // What the two kernels hold of it; the server itself took 64 KiB, and read on for 1 MiB.
  assert.ok(sent < 20_000_000, `${sent} bytes went out`);
  tokensIn(await askPartnerToken(club));
});

test('HOSTILE 46: a body that says beforehand that it is too large is not waited for', async (t) => {
  const club = await openClub(t);
  const answer = await rawExchange(club.url, tokenRequest(club, ['Content-Length: 65537'], 'x'));
  assert.deepEqual(statuses(answer), [413]);
  const most = `${form}&padding=`.padEnd(65_536, 'x');
  const head = ['Content-Length: 65536', 'Connection: close'];
  assert.deepEqual(statuses(await rawExchange(club.url, tokenRequest(club, head, most))), [200]);
});

test('HOSTILE 46: a sender that breaks off gets no answer and leaves no trace', async (t) => {
  const club = await openClub(t);
  const printed = t.mock.method(console, 'error', () => {});
  for (const headers of [['Content-Length: 1000'], ['Transfer-Encoding: chunked']]) {
    await new Promise<void>((resolve) => {
      const socket = connectTo(club);
      socket.write(tokenRequest(club, headers, '5\r\ngrant'), () => {
        setTimeout(() => socket.destroy(), 20);
      });
      socket.on('close', () => resolve());
    });
  }
  tokensIn(await askPartnerToken(club));
  assert.deepEqual(club.events, []);
  // Strangers must not be able to fill the log.
  assert.equal(printed.mock.callCount(), 0);
});

function connectTo({ url }: Club): Socket {
  const { port, hostname } = new URL(url);
  return connect(Number(port), hostname);
}

test('HOSTILE 48: requests that follow one another are each answered once', async (t) => {
  const club = await openClub(t);
  const length = `Content-Length: ${form.length}`;
  const one = tokenRequest(club, [length], form);
  const last = tokenRequest(club, [length, 'Connection: close'], form);
  assert.deepEqual(statuses(await rawExchange(club.url, one + one + last)), [200, 200, 200]);
});

test('HOSTILE 45, 48: nothing behind a refusal that closes is executed', async (t) => {
  const club = await openClub(t);
  const length = `Content-Length: ${form.length}`;
  const behind = tokenRequest(club, [length], form);
  const large = 'x'.repeat(65_537);
  const refusals: readonly (readonly [status: number, request: string])[] = [
    [400, `GET ${paths.login} HTTP/1.1\r\nHost: a b\r\n\r\n`],
    [400, tokenRequest(club, [length, 'Host: evil.example'], form)],
    [417, tokenRequest(club, [length, 'Expect: x'], form)],
    [413, tokenRequest(club, ['Transfer-Encoding: chunked'], `10001\r\n${large}\r\n0\r\n\r\n`)],
    // Ended by its sender, and by what is no request.
    [405, `HEAD ${paths.login} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
  ];
  for (const [status, request] of refusals) {
    const text = await rawExchange(club.url, request + behind + behind);
    assert.deepEqual(statuses(text), [status]);
    assert.deepEqual(
      club.records.splice(0).map((record) => record.status),
      [status],
    );
  }
  assert.deepEqual(club.events, []);
  // An answer that was asked for is not lost to what is none (RFC 9112 9.3.2).
  const stray = `${behind}${behind}x\r\n\r\n${behind}`;
  assert.deepEqual(statuses(await rawExchange(club.url, stray)), [200, 200, 400]);
  assert.deepEqual(
    club.records.splice(0).map((record) => record.status),
    [200, 200, 400],
  );
  const inOrder = `GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n${behind}${refusals[0]?.[1]}${behind}`;
  assert.deepEqual(statuses(await rawExchange(club.url, inOrder)), [404, 200, 400]);
  assert.deepEqual(
    club.records.map((record) => record.status),
    [404, 200, 400],
  );
});

test('HOSTILE 48: a connection on which many requests wait for one answer is cut off', async (t) => {
  const club = await openClub(t);
  const one = tokenRequest(club, [`Content-Length: ${form.length}`], form);
  const last = one.replace('Host:', 'Connection: close\r\nHost:');
  const answers = await rawExchange(club.url, one.repeat(31) + last);
  assert.deepEqual(statuses(answers), Array<number>(32).fill(200));
  assert.deepEqual(statuses(await rawExchange(club.url, one.repeat(40))), []);
});

test('HOSTILE 64: a Host that is none is refused alike at every listener, framed either way', async (t) => {
  const admin = await listen(
    { host: '127.0.0.1', port: 0 },
    createAdminApp({ parts: () => ({}), metrics: async () => '' }),
  );
  t.after(admin.close);
  const club = await openClub(t);
  // The gateway's listener is the same server with fewer paths.
  const targets = [
    [admin.url, '/livez', 405],
    [club.url, paths.login, 405],
    [club.url, '/executive-club/verify/none', 401],
    [club.url, '/nowhere', 404],
  ] as const;
  const framings = [
    'Content-Length: 1\r\n\r\nx',
    'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  ];
  for (const [url, target, usual] of targets) {
    for (const framing of framings) {
      const answerTo = (lines: string): Promise<string> =>
        rawExchange(url, `POST ${target} HTTP/1.${lines}Connection: close\r\n${framing}`);
      const told = (host: string): Promise<string> => answerTo(`1\r\nHost: ${host}\r\n`);
      const none = ['a b', '', '[', 'a/b', 'u@a', 'a:b', 'a\tb', '\u00e9', 'a?b', 'a\\b'];
      for (const host of [...none, undefined]) {
        const answer = await (host === undefined ? answerTo('1\r\n') : told(host));
        assert.match(
          answer,
          /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/json\r\nCache-Control: no-store\r\nX-Request-Id: [0-9A-Z]{12}\r\nConnection: close\r\nContent-Length: 27\r\nDate: [^\r]+\r\n\r\n\{"error":"invalid_request"\}$/,
          `${target} ${host}`,
        );
      }
      for (const host of ['0x7f.1', 'A_b.example:', '[::1]:80', 'a%20b']) {
        assert.deepEqual(statuses(await told(host)), [usual], `${target} ${host}`);
      }
    }
  }
});
