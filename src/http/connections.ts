// Owns the connections of listening servers: how many the process has room for, and ending them.

import { readdirSync, readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { hashingDescriptors } from '../members/hashing.ts';

/** The connections of one server. */
export interface Connections {
  /** To be told of every answer before it is begun. */
  readonly noteAnswer: (outgoing: ServerResponse) => void;
  /** Stops accepting, lets requests under way finish, then resolves. */
  readonly drain: () => Promise<void>;
}

/** Node keeps the answer under way with its socket; keeping it ourselves would cost every request. */
interface ServingSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

/** Milliseconds that requests under way may take once the server is told to stop. */
export const drainTime = 10_000;
/** How long a connection may stay open without one: its next request may be on its way. */
const idleTime = 250;

/** Watches over a server's connections from now on. */
export function watchConnections(server: Server): Connections {
  const sockets = new Set<ServingSocket>();
  let draining = false;
  server.on('connection', (socket) => {
    if (!budget.take(server)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      budget.giveBack();
      sockets.delete(socket);
    });
  });
  // The system has no descriptor for one more connection: it is shed, the others go on.
  server.on('error', () => undefined);
  return {
    noteAnswer: (outgoing) => {
      if (draining) outgoing.shouldKeepAlive = false;
    },
    drain: () => {
      draining = true;
      // Told so by the answer itself, a client opens another connection, elsewhere.
      for (const { _httpMessage: outgoing } of sockets) {
        if (outgoing?.headersSent === false) outgoing.shouldKeepAlive = false;
      }
      return close(server);
    },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const idle = setInterval(() => server.closeIdleConnections(), idleTime);
    const late = setTimeout(() => server.closeAllConnections(), drainTime);
    // Not its own: that one closes idle connections at once, under requests that are on their way.
    NetServer.prototype.close.call(server, (error?: Error) => {
      clearInterval(idle);
      clearTimeout(late);
      // Only now, to end its watch over time limits.
      server.close();
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/** Descriptors that are no connections: the store's files, and what the runtime opens now and then. */
const spareDescriptors = 16 + hashingDescriptors;
/** Fewer connections than this are no service at all. */
const fewestConnections = 8;
/** Milliseconds between looks for idle connections that can make room. */
const reliefInterval = 100;

/**
 * Connections that all servers of the process may have, since what runs out is the process's: the
 * rest is shed at once, before the store lacks a descriptor (FAULTS 20).
 */
class ConnectionBudget {
  #most: number | undefined;
  #open = 0;
  #relievedAt = 0;

  /** Takes a connection of a server into account; false where there is no room for it. */
  take(server: Server): boolean {
    this.#most ??= mostConnections();
    if (this.#open >= this.#most) {
      this.#relieve(server);
      return false;
    }
    this.#open += 1;
    return true;
  }

  giveBack(): void {
    this.#open -= 1;
  }

  /** Connections that wait for a next request have to make room for those that bring one. */
  #relieve(server: Server): void {
    const now = performance.now();
    if (now - this.#relievedAt < reliefInterval) return;
    this.#relievedAt = now;
    server.closeIdleConnections();
  }
}

const budget = new ConnectionBudget();

function mostConnections(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
    const open = readdirSync('/proc/self/fd').length;
    return Math.max(fewestConnections, files - open - spareDescriptors);
  } catch {
    // Not told on this system; whatever runs out is seen to where it does.
    return Infinity;
  }
}
