// Tests of connections that end with a refusal: who gets which answer, in which order, and that none is lost
// to a reset.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { usualTimeLimits } from '../../src/http/server.ts';
import { type Club, openClub, paths } from '../support/club.ts';
import { until } from '../support/until.ts';
import { rawExchange } from '../support/wire.ts';

const host = 'Host: x\r\n';
const body = 'grant_type=client_credentials';
const form = `${host}Content-Type: application/x-www-form-urlencoded\r\n`;

function tokenRequest({ client }: Club, more = ''): string {
  return `POST ${paths.grant} HTTP/1.1\r\n${form}Authorization: ${client.basic}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Status, id and the log's reason of each answer. */
async function told(club: Club, text: string): Promise<readonly (string | undefined)[]> {
  const answers = [...text.matchAll(/HTTP\/1\.1 (\d+)[^]*?\r\nX-Request-Id: (\w{12})\r\n/g)];
  assert.equal(text.split('HTTP/1.1 ').length - 1, answers.length, text);
  await until(() => club.records.length >= answers.length);
  // What would be told twice comes soon.
  await sleep(50);
  const records = club.records.splice(0);
  assert.deepEqual(
    records.map(({ id, status }) => [id, `${status}`]),
    answers.map(([, status, id]) => [id, status]),
  );
  return records.map(({ status, failure, method }) =>
    [status, failure?.reason, method].filter((one) => one !== undefined).join(' '),
  );
}

test('HOSTILE 48: bytes that are no request are refused after the answers before them', async (t) => {
  const club = await openClub(t);
  const good = tokenRequest(club);
  for (const [request, ...expected] of [
    [`${good}x\r\n`, '200 POST', '400 unreadable -'],
    [`${good}${good}\0\0`, '200 POST', '200 POST', '400 unreadable -'],
    // An answer that was asked to close does.
    [`${tokenRequest(club, 'Connection: close\r\n')}x\r\n`, '200 POST'],
    [
      `${good}PUT ${paths.grant} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      '200 POST',
      '400 unreadable PUT',
    ],
  ] as const) {
    const text = await rawExchange(club.url, request);
    assert.deepEqual(await told(club, text), expected, request.slice(-40));
  }
});

test('HOSTILE 45: CONNECT is refused in its turn, with an id, and behind it nothing is executed', async (t) => {
  const club = await openClub(t);
  const good = tokenRequest(club);
  const refusal = '405 method_not_allowed CONNECT';
  for (const target of ['h:80', paths.login]) {
    const asked = `CONNECT ${target} HTTP/1.1\r\n${host}\r\n`;
    const text = await rawExchange(club.url, asked + good);
    assert.match(text, /\r\nAllow: GET, POST\r\n[^]*\r\nConnection: close\r\n/);
    assert.deepEqual(await told(club, text), [refusal]);
    assert.deepEqual(await told(club, await rawExchange(club.url, good + asked + good)), [
      '200 POST',
      refusal,
    ]);
  }
  // A reset in the meantime is nothing to end for.
  const socket = connect(Number(new URL(club.url).port), '127.0.0.1');
  socket.write(`CONNECT h:80 HTTP/1.1\r\n${host}\r\n${'x'.repeat(100_000)}`);
  await once(socket, 'connect');
  socket.resetAndDestroy();
  await sleep(50);
  club.records.splice(0);
  const last = tokenRequest(club, 'Connection: close\r\n');
  assert.deepEqual(await told(club, await rawExchange(club.url, last)), ['200 POST']);
});

test('a request that was answered by its head gets no second answer for its body', async (t) => {
  const timeLimits = { ...usualTimeLimits, requestTimeout: 400, connectionsCheckingInterval: 50 };
  const club = await openClub(t, { timeLimits: { ...timeLimits, headersTimeout: 300 } });
  for (const [line, length, expected] of [
    [`PUT ${paths.grant}`, 'Content-Length: 10\r\n\r\nab', '405 method_not_allowed PUT'],
    [`POST /nowhere`, 'Content-Length: 10\r\n\r\nab', '404 not_found POST'],
    ['POST /executive-club/verify/member', 'Content-Length: 10\r\n\r\nab', '401'],
    [`PUT ${paths.grant}`, 'Transfer-Encoding: chunked\r\n\r\n', '405 method_not_allowed PUT'],
  ] as const) {
    for (const end of ['late', 'cut', 'junk'] as const) {
      const socket = connect({
        port: Number(new URL(club.url).port),
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      let text = '';
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', () => undefined);
      socket.write(`${line} HTTP/1.1\r\n${host}${length}`);
      await until(() => text.includes('\r\n\r\n'));
      if (end === 'cut') socket.end();
      if (end === 'junk') socket.write('zz\r\nzz\r\n\r\n\0');
      socket.once('end', () => socket.end());
      await once(socket, 'close');
      const [first = '', ...others] = await told(club, text);
      assert.ok(first.startsWith(expected), `${line} ${end}: ${first}`);
      // Where the length ends before the junk, that is no request of its own.
      assert.deepEqual(
        others,
        end === 'junk' && length.includes('ab') ? ['400 unreadable -'] : [],
        `${line} ${end}`,
      );
    }
  }
});

/** Sends a head, then a body in parts, and reads only once all has been sent, as clients and proxies do. */
async function sendAll(
  t: TestContext,
  url: string,
  head: string,
  size: number,
  part: number,
): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  let text = '';
  socket.pause();
  socket.on('data', (data) => (text += data.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (text += ` ${error.code}`));
  const closed = once(socket, 'close').catch(() => undefined);
  socket.write(head);
  for (let left = size; left > 0 && !socket.destroyed; left -= part) {
    socket.write('a'.repeat(Math.min(left, part)));
    await sleep(5);
  }
  socket.resume();
  await closed;
  return text;
}

test('HOSTILE 46: no refusal is lost to a reset while its request still comes', async (t) => {
  const club = await openClub(t);
  const post = (path: string, lines: string, size: number, version = '1.1'): string =>
    `POST ${path} HTTP/${version}\r\n${lines}Content-Length: ${size}\r\n\r\n`;
  const grant = (lines: string, size: number): string => post(paths.grant, lines, size);
  const close = `${host}Connection: close\r\n`;
  const coding = `POST ${paths.grant} HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n4000\r\n`;
  const chunks = `POST ${paths.grant} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
  for (const [status, head, size, part] of [
    [413, grant(form, 500_000), 500_000, 65_536],
    [417, grant(`${host}Expect: x\r\n`, 500_000), 500_000, 65_536],
    [400, grant('Host: a b\r\n', 500_000), 500_000, 65_536],
    [400, grant('Host: a b\r\n', 40_000), 40_000, 4000],
    [400, coding, 0x4000, 2000],
    [400, chunks, 500_000, 65_536],
    [431, `GET / HTTP/1.1\r\n${host}X: `, 500_000, 65_536],
    [405, `CONNECT h:80 HTTP/1.1\r\n${host}\r\n`, 500_000, 65_536],
    [404, post('/nowhere', host, 40_000, '1.0'), 40_000, 4000],
    [405, post(paths.login, close, 40_000), 40_000, 4000],
    [401, post('/executive-club/verify/member', close, 40_000), 40_000, 4000],
    [405, post(paths.login, host, 2000, '1.0'), 2000, 500],
  ] as const) {
    const text = await sendAll(t, club.url, head, size, part);
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${head}: ${text}`);
    assert.doesNotMatch(text, /ECONNRESET|EPIPE/, head);
    assert.equal(text.split('HTTP/1.1 ').length, 2, text);
  }
});
