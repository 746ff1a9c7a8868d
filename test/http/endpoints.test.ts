// Tests of the way to an endpoint: its route, and the answer however the request is framed.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import fc from 'fast-check';

import { App, type Load } from '../../src/http/endpoints.ts';
import { listen } from '../../src/http/server.ts';
import type { Reply } from '../../src/oauth/reply.ts';
import { noEndpoint } from '../../src/oauth/request_record.ts';
import { hasValues, PathIndex, patternTest } from '../../src/programme/path_index.ts';
import { ask, rawExchange } from '../support/wire.ts';

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

test('an answer is the same to a body of known length and to one in chunks', async (t) => {
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

test('what an endpoint throws, at once or later, is reported and answered', async (t) => {
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

/** A server whose endpoints answer with their own names; `at` is the name at a path, by a GET. */
async function openPaths(t: TestContext): Promise<{
  readonly serve: (paths: readonly string[]) => void;
  readonly at: (path: string) => Promise<string>;
}> {
  const server = await listen({ host: '127.0.0.1', port: 0 });
  t.after(server.close);
  const named = (body: string): Reply => ({ status: 200, headers: {}, body });
  const serve = (paths: readonly string[]): void => {
    const app = new App(
      () => named('broken'),
      () => named('missing'),
    );
    for (const path of paths) {
      const answer = (): Reply => named(path);
      if (path.endsWith('*')) {
        const load: Load = { kind: 'other', tooMany: answer };
        app.below(path.slice(0, -1), { facts: noEndpoint, load, answer });
      } else app.endpoint(path, { methods: new Set(['GET']), wrongMethod: answer, answer });
    }
    server.swap(app);
  };
  return { serve, at: async (path) => (await ask(server.url, path)).body };
}

test('HOSTILE 49: a path is answered by the one endpoint that has it, as it was sent', async (t) => {
  const { serve, at } = await openPaths(t);
  const text = fc.constantFrom(
    'a',
    'b',
    'verify',
    'a-b',
    'a@1',
    'f:1',
    ':a',
    '.well-known',
    'a.b(c)',
  );
  const segment = fc.oneof({ weight: 3, arbitrary: text }, fc.constantFrom('{x}', '{y}'));
  const path = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '/', '/*'))
    .map(([segments, end]) => `/${segments.join('/')}${end}`);
  const odd = fc.constantFrom('..', 'x:1', 'axb', 'x'.repeat(201), '%61', '');
  const asked = fc
    .array(fc.oneof({ weight: 4, arbitrary: text }, odd), { minLength: 1, maxLength: 4 })
    .map((all) => `/${all.join('/')}`);
  const property = fc.asyncProperty(
    fc.array(path, { maxLength: 12 }),
    fc.array(asked, { minLength: 4, maxLength: 4 }),
    async (candidates, some) => {
      const index = new PathIndex();
      const added = candidates.filter((one) => {
        if (hasValues(one) && one.endsWith('*')) return false;
        if (index.overlapping(one).length > 0) return false;
        index.add(one);
        return true;
      });
      serve(added);
      for (const one of [...some, ...added.filter((own) => !hasValues(own))]) {
        const expected = added.find((own) => patternTest(own)(one)) ?? 'missing';
        assert.equal(await at(one.replace('*', '')), expected, `${one} of ${added.join(' ')}`);
      }
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

test('of paths that overlap a constant one goes first, then what is below a prefix', async (t) => {
  const { serve, at } = await openPaths(t);
  serve(['/{x}/none', '/verify/*', '/verify/none']);
  assert.equal(await at('/verify/none'), '/verify/none');
  assert.equal(await at('/verify/some'), '/verify/*');
  assert.equal(await at('/verify'), 'missing');
  assert.equal(await at('/other/none'), '/{x}/none');
});

test('HOSTILE 84: a path of more segments than any endpoint has costs no more than its bytes', async (t) => {
  const { serve, at } = await openPaths(t);
  serve(['/a/{tenant}/token', '/a/b', '/b/*']);
  assert.equal(await at('/a/x/token'), '/a/{tenant}/token');
  const time = async (path: string): Promise<number> => {
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) assert.equal(await at(path), 'missing');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 20_000;
  };
  const long = `/a/x/${'t'.repeat(80_000)}`;
  await time(long);
  const usual = await time(long);
  for (const path of [`/a/x/token${'/'.repeat(80_000)}`, `/${'a/'.repeat(40_000)}`]) {
    const cost = await time(path);
    assert.ok(cost < usual + 4, `${cost} ms beside ${usual} ms`);
  }
});
