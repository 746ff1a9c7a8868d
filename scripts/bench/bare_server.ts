// Owns the bare server process: node:http that reads the body and gives a fixed answer, as long as a
// token response.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { answerParent } from '../load/child.ts';

export interface BareServer {
  readonly port: number;
  readonly pid: number;
}

const token = (): string => randomBytes(64).toString('base64url');
const body = JSON.stringify({
  access_token: token(),
  token_type: 'bearer',
  expires_in: 1800,
  scope: 'AUTHN-LEVEL-10',
  refresh_token: token(),
});
const headers = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'X-Request-Id': randomBytes(16).toString('base64url'),
  'Content-Length': body.length,
};

const server = createServer((incoming, outgoing) => {
  const chunks: Uint8Array[] = [];
  incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  incoming.on('end', () => {
    outgoing.writeHead(200, headers);
    outgoing.end(body);
  });
});

answerParent(async (): Promise<BareServer> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, pid: process.pid };
});
