// HOSTILE 46 and 48 to 50: HTTP itself used against the server: endless, ambiguous, disguised.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';

import { createAdminApp } from '../../src/http/admin.ts';
import { listen } from '../../src/http/server.ts';
import {
  askPartnerToken,
  type Club,
  loginTarget,
  openClub,
  paths,
  tokensIn,
} from '../support/club.ts';
import { publicUrl } from '../support/jetway.ts';
import { ask, rawExchange } from '../support/wire.ts';

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

test('HOSTILE 48: a request whose end could be read in two ways is refused', async (t) => {
  const club = await openClub(t);
  const smuggled = `GET ${paths.login} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const length = `Content-Length: ${form.length}`;
  const chunked = `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`;
  const ambiguous: readonly (readonly [string, readonly string[], string])[] = [
    ['length and chunks', [length, 'Transfer-Encoding: chunked'], chunked],
    ['chunks and length', ['Transfer-Encoding: chunked', length], chunked],
    ['two lengths', [length, 'Content-Length: 5'], form],
    ['two lengths in one', [`${length}, ${form.length}`], form],
    ['signed length', [`Content-Length: +${form.length}`], form],
    ['hexadecimal length', ['Content-Length: 0x1d'], form],
    ['unknown coding', ['Transfer-Encoding: xchunked'], chunked],
    ['chunked is not last', ['Transfer-Encoding: chunked, identity'], chunked],
    ['space before the colon', ['Transfer-Encoding : chunked'], chunked],
    ['folded line', ['X-A: b', ' Transfer-Encoding: chunked'], chunked],
    ['chunk ended by LF', ['Transfer-Encoding: chunked'], chunked.replace('\r\n', '\n')],
    [
      'chunk data ended by LF',
      ['Transfer-Encoding: chunked'],
      chunked.replace(`${form}\r\n`, `${form}\n`),
    ],
    ['chunk size of junk', ['Transfer-Encoding: chunked'], `0x${chunked}`],
    ['second Host', [length, 'Host: evil.example'], form],
    ['second Host, the same', [length, 'host: tokens.example'], form],
    ['bare CR in a header', [length, 'X-A: a\rX-B: b'], form],
    ['NUL in a header', [length, 'X-A: a\u0000b'], form],
  ];
  for (const [name, headers, body] of ambiguous) {
    const answer = await rawExchange(club.url, tokenRequest(club, headers, body + smuggled));
    assert.deepEqual(statuses(answer), [400], `${name}:\n${answer}`);
  }
  const noHost = `GET ${paths.login} HTTP/1.1\r\n\r\n`;
  assert.deepEqual(statuses(await rawExchange(club.url, noHost)), [400]);
});

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

test('HOSTILE 49: a path is what was sent, and any other spelling of it is none', async (t) => {
  const club = await openClub(t);
  const query = loginTarget(club.client).slice(paths.login.length);
  const spellings = [
    `/${paths.login}`,
    paths.login.replace('/auth', '//auth'),
    paths.login.replace('/auth', '%2fauth'),
    paths.login.replace('login', '%6cogin'),
    paths.login.replace('login', '%256cogin'),
    paths.login.toUpperCase(),
    `/x/..${paths.login}`,
    `/.${paths.login}`,
    `${paths.login}/`,
    `${paths.login}/.`,
    `${paths.login};x`,
    `${paths.login};jsessionid=1`,
    `${paths.login}%00`,
    `${paths.login}%20`,
    `${paths.login}.html`,
    `${paths.login}#x`,
    `/x${paths.login}`,
    '/',
    '/executive-club',
    '/executive-club/',
    '/executive-club/..%2f..%2fetc/passwd',
    '/programmes/executive-club.yaml',
    '/src/http/page.css',
    'http://tokens.example/x/../executive-club/auth/login',
    'http://tokens.example//executive-club/auth/login',
  ];
  for (const path of spellings) {
    const request = `GET ${path}${query} HTTP/1.1\r\nHost: tokens.example\r\nConnection: close\r\n\r\n`;
    const answer = await rawExchange(club.url, request);
    assert.deepEqual(statuses(answer), [404], path);
    assert.ok(answer.endsWith('\r\n\r\n{"error":"not_found"}'), path);
  }
  assert.equal((await ask(club.url, loginTarget(club.client))).status, 302);
});

test('HOSTILE 49: a target that is no path is answered, not stumbled over', async (t) => {
  const club = await openClub(t);
  for (const target of [
    '*',
    '?',
    'x',
    '?client_id=x',
    'https:',
    'ftp://x/y',
    '://',
    '%',
    '/%',
    '/\u00ff',
    paths.login.replace('/auth', '\\auth'),
  ]) {
    const request = `GET ${target} HTTP/1.1\r\nHost: tokens.example\r\nConnection: close\r\n\r\n`;
    const [status, ...others] = statuses(
      await rawExchange(club.url, Buffer.from(request, 'latin1')),
    );
    assert.ok(status === 404 || status === 400, `${target}: ${status}`);
    assert.deepEqual(others, []);
  }
  assert.deepEqual(club.events, []);
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

const forged = [
  'Host: evil.example',
  'Host: evil.example:1',
  'Host: evil.example/x?y',
  'Host: a b',
  'Host: [',
  'Host:',
  'Host: tokens.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: http',
  'Host: tokens.example\r\nForwarded: host=evil.example;proto=http\r\nX-Original-URL: /evil',
];

test('HOSTILE 50: no header and no absolute target moves where the service says it is', async (t) => {
  const club = await openClub(t, { over: 'tokens: { access: { format: jwt } }' });
  const page = `${publicUrl}/executive-club/login?transaction=`;
  for (const headers of forged) {
    for (const origin of [
      '',
      'http://evil.example',
      'HTTP://EVIL.example:80',
      'hTTpS://[::1]:1',
      'https://u@evil.example',
    ]) {
      const target = origin + loginTarget(club.client);
      const answer = await rawExchange(
        club.url,
        `GET ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`,
      );
      const name = `${target} ${headers}:\n${answer}`;
      // A Host that is none is refused; else nothing in the target is (RFC 3986 3.1).
      if (/^Host:(?: a b| \[|)$|evil\.example\/x/.test(headers)) {
        assert.deepEqual(statuses(answer), [400], name);
        continue;
      }
      assert.deepEqual(statuses(answer), [302], name);
      assert.ok(answer.toLowerCase().includes(`\r\nlocation: ${page}`), name);
      // Not "evil" alone: a random transaction may happen to spell that.
      assert.doesNotMatch(answer, /evil\.example/i, name);
    }
    const request = tokenRequest(
      club,
      [`Content-Length: ${form.length}`, 'Connection: close'],
      form,
    );
    const answer = await rawExchange(club.url, request.replace('Host: tokens.example', headers));
    if (statuses(answer)[0] === 400) continue;
    const token = /"access_token":"[^."]+\.([^."]+)\./.exec(answer)?.[1] ?? '';
    const claims = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<string, string>;
    const issuer = `${publicUrl}/executive-club`;
    assert.deepEqual([claims['iss'], claims['aud']], [issuer, issuer]);
  }
});
