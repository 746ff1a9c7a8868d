// Owns listening on a free port of this machine until a test ends.

import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { TestContext } from 'node:test';

/** Starts a server of the test; where it listens, as `host:port`. */
export async function listenHere(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    if (server instanceof HttpServer) server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
