// Owns the promises of fetching key sets: where they are fetched, how often, and what holds during an
// outage.

import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { rootCertificates } from 'node:tls';

import { milliseconds } from '../../../src/lib/clock.ts';
import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { Unavailable } from '../../../src/oauth/failure.ts';
import {
  besidePublic,
  type FetchedKeys,
  fetchedKeys,
  type KeySetOptions,
  usualFetchLimits,
} from '../../../src/token/assertions/fetched_keys.ts';
import { keySet, testKey } from '../../support/assertions.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { type KeyServer, startKeyServer } from '../../support/key_server.ts';
import { testNeeding } from '../../support/tools.ts';

const test = testNeeding('openssl');
const [first, second] = [testKey('ES256', 'one'), testKey('ES256', 'two')];

interface Site {
  readonly server: KeyServer;
  readonly clock: TestClock;
  readonly find: FetchedKeys;
  readonly warnings: string[];
}

async function start(t: TestContext, more: Partial<KeySetOptions> = {}): Promise<Site> {
  const server = await startKeyServer(t, keySet(first));
  const clock = testClock();
  const warnings: string[] = [];
  const find = fetchedKeys({
    programme: 'club' as ProgrammeId,
    clock,
    networks: ['127.0.0.0/8', '::1/128'],
    authorities: () => server.authorities,
    warn: (detail) => warnings.push(detail),
    limits: { ...usualFetchLimits, connect: milliseconds(60_000), total: milliseconds(120_000) },
    ...more,
  });
  return { server, clock, find, warnings };
}

/** The kids that were found, or why there are none. */
async function kids(found: ReturnType<FetchedKeys>): Promise<unknown> {
  try {
    return (await found).map(({ kid }) => kid);
  } catch (error) {
    assert.ok(error instanceof Unavailable);
    return error.message.replace(/^the key set at \S+ cannot be fetched: /, '');
  }
}

describe('key sets at an address', () => {
  test('one fetch serves all who ask, until the set is ten minutes old', async (t) => {
    const { server, clock, find } = await start(t);
    const all = await Promise.all(Array.from({ length: 5 }, () => kids(find(server.url, 'one'))));
    assert.deepEqual(
      all,
      Array.from({ length: 5 }, () => ['one']),
    );
    clock.advance(599);
    assert.deepEqual(await kids(find(server.url, 'one')), ['one']);
    assert.equal(server.asked(), 1);
    server.become(keySet(second));
    clock.advance(1);
    assert.deepEqual(await kids(find(server.url, 'one')), ['two']);
    assert.equal(server.asked(), 2);
  });

  test('a kid that is not there has the set fetched again, once a minute', async (t) => {
    const { server, clock, find } = await start(t);
    assert.deepEqual(await kids(find(server.url, 'two')), ['one']);
    server.become(keySet(first, second));
    assert.deepEqual(await kids(find(server.url, 'two')), ['one']);
    assert.equal(server.asked(), 1);
    clock.advance(60);
    const [one, other] = [find(server.url, 'two'), find(server.url, 'three')];
    assert.deepEqual(
      [await kids(one), await kids(other)],
      [
        ['one', 'two'],
        ['one', 'two'],
      ],
    );
    assert.deepEqual(await kids(find(server.url, 'four')), ['one', 'two']);
    assert.equal(server.asked(), 2);
  });

  test('during an outage the set of before holds for an hour, with a warning at each try', async (t) => {
    const { server, clock, find, warnings } = await start(t);
    await find(server.url, 'one');
    server.become((_, response) => response.writeHead(503).end());
    clock.advance(600);
    for (let turn = 0; turn < 3; turn += 1) {
      assert.deepEqual(await kids(find(server.url, 'one')), ['one']);
    }
    assert.equal(server.asked(), 2);
    assert.match(
      warnings.join('\n'),
      /^the key set at \S+:\d+ cannot be fetched: status 503; the keys that it published before are still used$/,
    );
    clock.advance(2999);
    assert.deepEqual(await kids(find(server.url, 'one')), ['one']);
    clock.advance(1);
    assert.equal(await kids(find(server.url, 'one')), 'status 503');
    server.become(keySet(second));
    assert.deepEqual(await kids(find(server.url, 'one')), ['two']);
  });

  test('a server that fails is left alone after five tries', async (t) => {
    const { server, clock, find } = await start(t);
    server.become((_, response) => response.writeHead(500).end());
    for (let turn = 0; turn < 5; turn += 1) {
      assert.equal(await kids(find(server.url, 'one')), 'status 500');
    }
    assert.equal(await kids(find(server.url, 'one')), 'it failed too often: circuit open');
    assert.equal(server.asked(), 5);
    server.become(keySet(first));
    clock.advance(2);
    assert.deepEqual(await kids(find(server.url, 'one')), ['one']);
  });

  test('private addresses are asked only where the configuration allows them', async (t) => {
    for (const networks of [[], ['10.0.0.0/8']]) {
      const { server, find } = await start(t, { networks });
      for (const url of [
        server.url,
        server.byAddress,
        server.byAddress.replace('127.0.0.1', '[::ffff:7f00:1]'),
      ]) {
        assert.equal(await kids(find(url, 'one')), 'no connection (a private address)');
      }
      assert.equal(server.asked(), 0);
    }
    const { server, find } = await start(t);
    assert.deepEqual(await kids(find(server.byAddress, 'one')), ['one']);
  });

  test('redirects, other certificates and large or unusable answers are refused', async (t) => {
    const { server, find } = await start(t);
    let port = 0;
    const answers: readonly (readonly [Parameters<KeyServer['become']>[0], string])[] = [
      [
        (_, response) => response.writeHead(302, { Location: server.url }).end(),
        'status 302: redirects are not followed',
      ],
      [
        JSON.stringify({ keys: [], pad: 'x'.repeat(65_536) }),
        'the answer is larger than 65536 bytes',
      ],
      ['<html></html>', 'is no JWKS: not JSON in UTF-8'],
      [
        JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA' }] }),
        'holds a symmetric key: a client registers public keys alone',
      ],
    ];
    for (const [answer, expected] of answers) {
      server.become(answer);
      port += 1;
      assert.equal(await kids(find(`${server.url}?${port}`, 'one')), expected);
    }
    server.become(keySet(first));
    const { find: trusting } = await start(t, { authorities: undefined });
    assert.match(
      String(await kids(trusting(server.url, 'one'))),
      /^no connection \((?:UNABLE|SELF_SIGNED)/,
    );
  });

  test('HOSTILE 91: authorities of a file are trusted besides the public ones', () => {
    assert.ok(rootCertificates.length > 100);
    assert.deepEqual(besidePublic('own'), [...rootCertificates, 'own']);
  });

  test('an answer that does not come in time is an outage', async (t) => {
    const limits = { ...usualFetchLimits, connect: milliseconds(60_000), total: milliseconds(50) };
    const { server, find } = await start(t, { limits });
    server.become(() => undefined);
    assert.match(
      String(await kids(find(server.url, 'one'))),
      /^no answer within 50 ms$|^no connection/,
    );
  });
});
