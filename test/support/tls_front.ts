// Owns a proxy that ends TLS before Jetway, for browsers that are to believe they are on https.

import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

import { createAuthority } from './certificates.ts';

export interface TlsFront {
  readonly port: number;
  /** Names the server behind it. */
  readonly passTo: (base: string) => void;
}

/** Listens on loopback, under a certificate that nobody vouches for; ends with the test. */
export async function startTlsFront(t: TestContext): Promise<TlsFront> {
  const { certificate: cert, key } = createAuthority('front').issue('DNS:localhost');
  let behind = '';
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const passed = httpRequest(new URL(url, behind), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    port: (server.address() as AddressInfo).port,
    passTo: (base) => {
      behind = base;
    },
  };
}
