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

/**
 * Watches over a server's connections from now on.
 * @param share part of the process's connections that no other server takes (HOSTILE 70)
 */
export function watchConnections(server: Server, share: number): Connections {
  const sockets = new Set<ServingSocket>();
  const listener = budget.join(server, share);
  let draining = false;
  server.on('connection', (socket) => {
    if (!listener.take()) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      listener.giveBack();
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

/** What one server takes of the connections that the process may have. */
interface BudgetShare {
  /** Takes a connection into account; false where there is no room for it. */
  readonly take: () => boolean;
  readonly giveBack: () => void;
}

/**
 * Connections that all servers of the process may have, since what runs out is the process's: the
 * rest is shed at once, before the store lacks a descriptor (FAULTS 20). A server's own share comes
 * first; what is nobody's own is whoever's comes first.
 */
class ConnectionBudget {
  #most: number | undefined;
  /** The parts that are servers' own. */
  #shares = 0;
  /** Connections open that are in no server's own share. */
  #common = 0;

  join(server: Server, share: number): BudgetShare {
    this.#shares += share;
    server.once('close', () => {
      this.#shares -= share;
    });
    let open = 0;
    let relievedAt = 0;
    const own = (): number => (share === 0 ? 0 : Math.ceil(this.#all() * share));
    return {
      take: () => {
        if (open >= own()) {
          if (this.#common >= this.#all() * (1 - this.#shares)) {
            // Connections that wait for a next request have to make room for those that bring one.
            const now = performance.now();
            if (now - relievedAt >= reliefInterval) server.closeIdleConnections();
            relievedAt = now;
            return false;
          }
          this.#common += 1;
        }
        open += 1;
        return true;
      },
      giveBack: () => {
        if (open > own()) this.#common -= 1;
        open -= 1;
      },
    };
  }

  #all(): number {
    return (this.#most ??= mostConnections());
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
