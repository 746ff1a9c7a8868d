// Tests of TLS at the listening server: protocols, ciphers, renewed certificates, and its end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { createAdminApp } from '../../src/http/admin.ts';
import { listen, type ListenOptions, type RunningServer } from '../../src/http/server.ts';
import { processFamilies } from '../../src/lib/metrics/families.ts';
import { createAuthority } from '../support/certificates.ts';
import { without } from '../support/tools.ts';
import { ask } from '../support/wire.ts';

const authority = createAuthority('Jetway');
const ca = authority.certificate;
const first = { ...authority.issue('IP:127.0.0.1'), asksClients: false };
const second = { ...authority.issue('IP:127.0.0.1'), asksClients: false };

async function start(t: TestContext, options: ListenOptions = {}): Promise<RunningServer> {
  const app = createAdminApp({ parts: () => ({}), metrics: async () => '' });
  const server = await listen({ host: '127.0.0.1', port: 0 }, app, { tls: first, ...options });
  t.after(server.close);
  return server;
}

/** A connection whose handshake is done; rejects with the reason where there is none. */
async function shake(server: RunningServer, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const port = Number(new URL(server.url).port);
  const socket = connect({ host: '127.0.0.1', port, ca, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** Asks over a connection and returns the serial number of the certificate behind the answer. */
async function serialOf(server: RunningServer, agent: Agent): Promise<string> {
  let serial = '';
  const note = (socket: TLSSocket): void => {
    serial = socket.getPeerX509Certificate()?.serialNumber ?? '';
  };
  agent.once('free', note);
  const { status } = await ask(server.url, '/livez', { tls: { ca, agent } });
  assert.equal(status, 200);
  return serial;
}

describe('a listener with TLS', { skip: without('openssl') }, () => {
  test('answers over 1.2 and 1.3, with forward secrecy alone', async (t) => {
    const server = await start(t);
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await shake(server, { minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
      assert.match(socket.getCipher().name, /^(?:ECDHE|TLS_AES)[-_]/);
      socket.destroy();
    }
    const refused: readonly ConnectionOptions[] = [
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' },
    ];
    for (const options of refused) await assert.rejects(shake(server, options), /alert/);
  });

  test('takes CBC of older clients, and counts it; with `ciphers: aead` from then on it does not', async (t) => {
    const server = await start(t);
    const counted = (): number => {
      const all = processFamilies().flatMap(({ name, samples }) =>
        name === 'jetway_tls_handshakes_without_aead_total' ? [...samples()] : [],
      );
      return all.reduce((sum, { value }) => sum + value, 0);
    };
    const cbc = ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA384'];
    const authenticated = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'];
    const over = async (cipher: string): Promise<string> => {
      const socket = await shake(server, { maxVersion: 'TLSv1.2', ciphers: cipher });
      const { name } = socket.getCipher();
      socket.destroy();
      return name;
    };
    const before = counted();
    for (const cipher of [...authenticated, ...cbc]) assert.equal(await over(cipher), cipher);
    (await shake(server, { minVersion: 'TLSv1.3' })).destroy();
    assert.equal(counted() - before, 2);
    // The server's order counts.
    assert.equal(await over([...cbc, ...authenticated].join(':')), authenticated[0]);
    server.renew?.({ ...first, ciphers: 'aead' });
    for (const cipher of authenticated) assert.equal(await over(cipher), cipher);
    for (const cipher of cbc) await assert.rejects(over(cipher), /alert handshake failure/);
    (await shake(server, { minVersion: 'TLSv1.3' })).destroy();
    assert.equal(counted() - before, 2);
  });

  test('refuses to renegotiate', async (t) => {
    const server = await start(t);
    const socket = await shake(server, { maxVersion: 'TLSv1.2' });
    socket.renegotiate({}, () => {});
    const [error] = (await once(socket, 'error')) as unknown[];
    assert.match(String(error), /no renegotiation/);
    socket.destroy();
  });

  test('a renewed certificate is that of new connections; those that are open go on', async (t) => {
    const server = await start(t);
    const kept = new Agent({ keepAlive: true, maxCachedSessions: 0 });
    t.after(() => kept.destroy());
    const before = await serialOf(server, kept);
    server.renew?.(second);
    const fresh = new Agent({ keepAlive: true });
    t.after(() => fresh.destroy());
    assert.equal(await serialOf(server, kept), before);
    assert.notEqual(await serialOf(server, fresh), before);
  });

  test('where other authorities vouch for clients, open connections end with their next answer', async (t) => {
    const asking = { ...first, asksClients: true, clientAuthorities: ca };
    const server = await start(t, { tls: asking });
    const open = await shake(server);
    t.after(() => open.destroy());
    const upkeep = async (): Promise<string | undefined> => {
      open.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      const [answer] = (await once(open, 'data')) as unknown[];
      return /^Connection: (.*?)\r$/m.exec(String(answer))?.[1];
    };
    assert.equal(await upkeep(), 'keep-alive');
    server.renew?.({ ...asking, ...second, asksClients: true });
    assert.equal(await upkeep(), 'keep-alive');
    server.renew?.({ ...asking, clientAuthorities: createAuthority('others').certificate });
    const fresh = await shake(server);
    fresh.destroy();
    assert.equal(await upkeep(), 'close');
  });

  test('a certificate that cannot be used changes nothing', async (t) => {
    const server = await start(t);
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const;
    t.after(() => agents.forEach((agent) => agent.destroy()));
    const before = await serialOf(server, agents[0]);
    assert.throws(() => server.renew?.({ ...first, key: second.key }), /key values mismatch/);
    assert.equal(await serialOf(server, agents[1]), before);
  });

  test('HOSTILE 47: a handshake that stands still is cut', async (t) => {
    const timeLimits = {
      headersTimeout: 100,
      requestTimeout: 100,
      connectionsCheckingInterval: 50,
      keepAliveTimeout: 1000,
      stillTimeout: 60_000,
      drainTime: 10_000,
    };
    const server = await start(t, { timeLimits });
    const socket = connectPlainly(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {});
    // The test ends by its time limit where the server never does.
    await once(socket, 'close');
  });

  test('told to stop does not wait for handshakes, and closes connections without a request', async () => {
    const server = await listen({ host: '127.0.0.1', port: 0 }, undefined, { tls: first });
    const plain = connectPlainly(Number(new URL(server.url).port), '127.0.0.1');
    plain.on('error', () => {});
    await once(plain, 'connect');
    const idle = await shake(server);
    idle.on('error', () => {});
    const closed = Promise.all([once(plain, 'close'), once(idle, 'close')]);
    // The test ends by its time limit where the server never does.
    await server.close();
    await closed;
  });
});
