// Tests of the two ways to an endpoint: whichever a request takes, the answer is the same.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { App } from '../../src/http/endpoints.ts';
import { listen } from '../../src/http/server.ts';
import type { Reply } from '../../src/oauth/reply.ts';
import { rawExchange } from '../support/wire.ts';

interface Site {
  /** The answer to one POST of a body in the framing. */
  readonly send: (path: string, framing: 'length' | 'chunked', body: string) => Promise<string>;
  readonly reported: string[];
}

/** A server whose one endpoint answers what `answer` makes of a body. */
async function openSite(
  t: TestContext,
  answer: (body: string) => Reply | Promise<Reply>,
): Promise<Site> {
  const reported: string[] = [];
  const missing = { status: 404, headers: { 'Content-Type': 'text/plain' }, body: 'missing' };
  const app = new App(
    (error) => {
      reported.push(error.message);
      return { status: 500, headers: { 'Content-Type': 'text/plain' }, body: 'broken' };
    },
    () => missing,
  );
  app.endpoint('/it', {
    methods: new Set(['POST']),
    wrongMethod: () => ({ status: 405, headers: { Allow: 'POST' }, body: '' }),
    answer: ({ body }) => answer(body === 'too_large' ? body : Buffer.from(body).toString()),
  });
  const server = await listen({ host: '127.0.0.1', port: 0 }, app);
  t.after(server.close);
  const send: Site['send'] = async (path, framing, body) => {
    const framed =
      framing === 'length'
        ? `Content-Length: ${body.length}\r\n\r\n${body}`
        : `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${framed}`;
    return sorted(await rawExchange(server.url, request));
  };
  return { send, reported };
}

/** Without date and request id, and with the header lines in one order. */
function sorted(answer: string): string {
  const [head = '', body] = answer.split('\r\n\r\n');
  const [status, ...lines] = head.split('\r\n');
  const lasting = lines.filter((line) => !/^(?:Date|X-Request-Id):/.test(line));
  return [status, ...lasting.toSorted(), '', body].join('\n');
}

test('an answer is the same past the router and through it', async (t) => {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Pragma: 'no-cache' };
  const { send } = await openSite(t, (body) => ({ status: 200, headers, body: `got ${body} é` }));
  const short = await send('/it?x', 'length', 'hello');
  assert.equal(
    short,
    `HTTP/1.1 200 OK
Connection: close
Content-Length: 12
Content-Type: text/plain; charset=utf-8
Pragma: no-cache

got hello Ã©`,
  );
  assert.equal(await send('/it?x', 'chunked', 'hello'), short);
});

test('what an endpoint throws, at once or later, is reported and answered on either way', async (t) => {
  const { send, reported } = await openSite(t, (body) => {
    if (body === 'at once') throw new Error(body);
    return Promise.reject(new Error(body));
  });
  for (const body of ['at once', 'later']) {
    const short = await send('/it', 'length', body);
    assert.match(short, /^HTTP\/1\.1 500 [^]*\n\nbroken$/);
    assert.equal(await send('/it', 'chunked', body), short);
  }
  assert.deepEqual(reported, ['at once', 'at once', 'later', 'later']);
});

test('a header that cannot be sent is reported, and the connection goes on', async (t) => {
  const { send, reported } = await openSite(t, (body) => ({
    status: 302,
    headers: { Location: body },
    body: '',
  }));
  assert.match(await send('/it', 'length', 'a\r\nb'), /^HTTP\/1\.1 500 [^]*\n\nbroken$/);
  assert.equal(reported.length, 1);
  assert.match(await send('/it', 'length', '/next'), /^HTTP\/1\.1 302 [^]*\nLocation: \/next\n/);
});

test('a path that is not exactly an endpoint’s is not answered for it', async (t) => {
  const { send } = await openSite(t, () => ({ status: 200, headers: {}, body: 'got it' }));
  for (const path of ['/it/', '//it', '/x/../it', '/%69t', '/IT', '/it;x']) {
    assert.match(await send(path, 'length', ''), /^HTTP\/1\.1 404 /, path);
  }
});
