// Owns a way to PostgreSQL that loses what it is told to: the answer of the next statement of a name, or
// everything for a while.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface LossyProxy {
  readonly port: number;
  /**
   * Loses the answer of the next statement of that name, which the server has run, and its connection;
   * calls `after` before anybody is told.
   */
  readonly loseAnswerOf: (statement: string, after?: () => void) => void;
  /** Loses the next statement of that name, which the server never gets, and its connection. */
  readonly lose: (statement: string) => void;
  /** How many answers and statements were lost so far. */
  readonly lost: () => number;
  /** Nothing goes through any more, in either direction, and nobody is told. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly close: () => void;
}

export async function lossyProxy(to: number): Promise<LossyProxy> {
  let doomed:
    | { readonly statement: string; readonly isDelivered: boolean; readonly after?: () => void }
    | undefined;
  let told: (() => void) | undefined;
  let lost = 0;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    let drops = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
      if (isFrozen) socket.pause();
    }
    client.on('data', (data) => {
      // The name of a prepared statement stands in the message that binds its values.
      if (doomed !== undefined && data.includes(`\0${doomed.statement}\0`)) {
        lost += 1;
        drops = doomed.isDelivered;
        told = doomed.after;
        doomed = undefined;
        if (!drops) return end();
      }
      upstream.write(data);
      return undefined;
    });
    upstream.on('data', (data) => {
      if (drops) {
        told?.();
        end();
      } else client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    loseAnswerOf: (statement, after) => {
      doomed = { statement, isDelivered: true, ...(after && { after }) };
    },
    lose: (statement) => {
      doomed = { statement, isDelivered: false };
    },
    lost: () => lost,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
