// Owns listening on a free port of this machine until a test ends.

import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, isIPv6, type Server } from 'node:net';
import type { TestContext } from 'node:test';

/** Starts a server of the test; where it listens, as `host:port`. */
export async function listenHere(
  t: TestContext,
  server: Server | HttpServer,
  host = '127.0.0.1',
): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  t.after(() => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
