// HOSTILE 42, 45 to 50 and 57 at a running server: one attempt of each kind. What else there is to each is
// tested at the sources (test/wire).

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { askPartnerToken, loginTarget, paths, tokensIn } from '../support/club.ts';
import { eventLines } from '../support/log_lines.ts';
import { ask, rawExchange } from '../support/wire.ts';
import { openSite, type ServedClub, unthrottled } from './site.ts';

const form = 'grant_type=client_credentials';

function tokenRequest(club: ServedClub, headers: readonly string[], body = form): string {
  return [
    `POST ${paths.grant} HTTP/1.1`,
    `Authorization: ${club.client.basic}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Connection: close',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

test('HOSTILE 45, 46, 48, 49: HTTP used against a running server changes nothing', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const club = await site.start();
  const host = 'Host: tokens.example';
  const length = `Content-Length: ${form.length}`;
  const plain = (method: string, target: string): string =>
    `${method} ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
  const login = loginTarget(club.client);
  const attempts: readonly (readonly [string, string, number])[] = [
    ['HEAD at a login', plain('HEAD', login), 405],
    ...['GET', 'HEAD', 'PUT', 'OPTIONS', 'TRACE'].map(
      (method) => [`${method} of a token`, plain(method, paths.grant), 405] as const,
    ),
    ['a body that is too long', tokenRequest(club, [host, 'Content-Length: 65537']), 413],
    [
      'ten thousand parameters',
      tokenRequest(club, [host, 'Content-Length: 60000'], 'a=&'.repeat(20_000)),
      400,
    ],
    ['a name of JavaScript', tokenRequest(club, [host, 'Content-Length: 11'], '__proto__=1'), 400],
    ['two lengths', tokenRequest(club, [host, length, 'Content-Length: 3']), 400],
    ['length and chunks', tokenRequest(club, [host, length, 'Transfer-Encoding: chunked']), 400],
    ['two hosts', tokenRequest(club, [host, host, length]), 400],
    ...['//auth/login', '/x/../auth/login', '/auth/%6cogin', '/auth/login;x', '/auth%2flogin'].map(
      (path) => {
        const query = login.slice(login.indexOf('?'));
        return [path, plain('GET', `/executive-club${path}${query}`), 404] as const;
      },
    ),
    ['a token', tokenRequest(club, [host, length]), 200],
  ];
  for (const [name, request, status] of attempts) {
    const answer = await rawExchange(club.url, request);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), name);
    if (status === 405) assert.match(answer, /\r\nallow: (?:GET|POST)\r\n/i, name);
  }
  assert.deepEqual(eventLines(club.server.printed().stderr), []);
});

test('HOSTILE 50: a forged Host and an absolute target change no address', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const club = await site.start();
  const target = loginTarget(club.client);
  const usual = await ask(club.url, target);
  assert.equal(usual.status, 302);
  const [where] = (usual.headers['location'] ?? '').split('?');
  const forged = [
    `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
    `GET http://evil.example${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
  ];
  for (const request of forged) {
    const answer = await rawExchange(club.url, request);
    assert.equal(/\r\nLocation: ([^?\r]*)/.exec(answer)?.[1], where);
    assert.doesNotMatch(answer, /evil/);
  }
});

test('HOSTILE 47: a running server cuts slow senders off, and issues tokens all the while', async (t) => {
  const site = await openSite(t, { over: unthrottled });
  const club = await site.start();
  const { hostname, port } = new URL(club.url);
  const request = tokenRequest(club, ['Host: tokens.example', `Content-Length: ${form.length}`]);
  const sockets = Array.from({ length: 500 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.resume();
    return socket;
  });
  let sent = 0;
  // One byte a second: the head alone would take minutes.
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(request.charAt(sent));
    sent += 1;
  }, 1000);
  t.after(() => clearInterval(drip));
  let issued = 0;
  while (sockets.some(({ closed }) => !closed)) {
    tokensIn(await askPartnerToken(club));
    issued += 1;
    await sleep(100);
  }
  assert.ok(issued > 0 && sent < request.length, `${sent} bytes were taken`);
});
