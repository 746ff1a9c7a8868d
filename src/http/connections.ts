// Owns the connections of listening servers: their limit in the process, and closing them.

import { readdirSync, readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

import { counters, gauge } from '../lib/metrics/families.ts';
import { hashingDescriptors } from '../members/hashing.ts';
import type { Outgoing } from './read_request.ts';

/** The connections of one server. */
export interface Connections {
  /** Must be called with every answer before it is begun. */
  readonly noteAnswer: (outgoing: ServerResponse) => void;
  /** From now on each answer ends its connection, so that clients open their next one elsewhere. */
  readonly lastAnswers: () => void;
  /** The same for the connections that are open now, those in their handshake included. */
  readonly lastAnswersOfOpen: () => void;
  /** Stops accepting, lets requests under way finish, then resolves. */
  readonly drain: () => Promise<void>;
}

/** Node's own field for the answer under way: a field of ours would cost every request. */
export interface ServingSocket extends Socket {
  readonly _httpMessage?: Outgoing | null;
  /** Node's own, too: the request that is read, or was read last; absent once node has given it away. */
  readonly parser?: { readonly incoming: Outgoing['req'] | null } | null;
  /** Of a socket with TLS: the connection below. */
  readonly _parent?: Socket | null;
}

/** Milliseconds that a connection stays open without a request once its server stops: one may be on its way. */
const idleTime = 250;

/**
 * Watches over a server's connections from now on.
 * @param share part of the process's connections that no other server takes (HOSTILE 70)
 * @param drainTime milliseconds that requests under way may take once the server is told to stop
 * @param unread connections that have not got to the server yet
 */
export function watchConnections(
  server: Server,
  share: number,
  drainTime: number,
  unread: ReadonlySet<Socket> = new Set(),
): Connections {
  const sockets = new Set<ServingSocket>();
  const handshakes = new Set<Socket>();
  // As those of node:tls alone have.
  const isSecure = 'setSecureContext' in server;
  const listener = budget.join(server, share);
  let areLast = false;
  /** Connections that end with their next answer; none if left out. */
  let ending: WeakSet<Socket> | undefined;
  server.on('connection', (socket) => {
    if (!listener.take()) {
      socket.destroy();
      return;
    }
    const begun: Set<Socket> = isSecure ? handshakes : sockets;
    begun.add(socket);
    socket.once('close', () => {
      listener.giveBack();
      begun.delete(socket);
    });
  });
  server.on('secureConnection', (socket: ServingSocket) => {
    const { _parent: below } = socket;
    if (below) handshakes.delete(below);
    if (below && ending?.has(below)) ending.add(socket);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // No descriptor is left for one more connection: it is dropped, the others go on.
  server.on('error', () => undefined);
  const endOpen = (): void => {
    // Node then says 'Connection: close'.
    for (const { _httpMessage: outgoing } of sockets) {
      if (outgoing?.headersSent === false) outgoing.shouldKeepAlive = false;
    }
  };
  const lastAnswers = (): void => {
    areLast = true;
    endOpen();
  };
  return {
    noteAnswer: (outgoing) => {
      if (areLast || ending?.has(outgoing.req.socket)) outgoing.shouldKeepAlive = false;
    },
    lastAnswers,
    lastAnswersOfOpen: () => {
      ending = new WeakSet<Socket>([...sockets, ...handshakes]);
      endOpen();
    },
    drain: () => {
      lastAnswers();
      return close(server, drainTime, sockets, [unread, handshakes]);
    },
  };
}

function close(
  server: Server,
  drainTime: number,
  begun: ReadonlySet<Socket>,
  unknown: readonly ReadonlySet<Socket>[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const idle = setInterval(() => {
      server.closeIdleConnections();
      // Node's HTTP server does not know of them yet.
      for (const sockets of unknown) for (const socket of sockets) socket.destroy();
    }, idleTime);
    // Not by the HTTP server, which has given away the connection of a CONNECT that waits for its turn.
    const late = setTimeout(() => begun.forEach((socket) => socket.destroy()), drainTime);
    // Not the HTTP server's own close: it closes idle connections at once, while requests are on
    // their way to them.
    NetServer.prototype.close.call(server, (error?: Error) => {
      clearInterval(idle);
      clearTimeout(late);
      // Last, to end its checks of time limits.
      server.close();
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/** Descriptors for other uses: the store's files, and those that the runtime opens now and then. */
const spareDescriptors = 16 + hashingDescriptors;
/** Fewer connections than this are no service at all. */
const fewestConnections = 8;
/** Milliseconds between looks for idle connections that can make room. */
const reliefInterval = 100;

/** One server's part in the connections of the process. */
interface BudgetShare {
  /** Counts a connection; false where there is no room for it. */
  readonly take: () => boolean;
  readonly giveBack: () => void;
}

/**
 * The limit on connections of all servers together: descriptors run out for the whole process. Any
 * more are dropped at once, before the store lacks a descriptor (FAULTS 20). A connection counts
 * first against its server's own share, then against the common rest.
 */
class ConnectionBudget {
  /** Open connections of all servers. */
  open = 0;
  #most: number | undefined;
  /** Sum of the servers' own shares, from 0 to 1. */
  #shares = 0;
  /** Open connections outside every server's own share. */
  #common = 0;

  join(server: Server, share: number): BudgetShare {
    this.#shares += share;
    server.once('close', () => {
      this.#shares -= share;
    });
    let open = 0;
    let relievedAt = 0;
    const own = (): number => (share === 0 ? 0 : Math.ceil(this.all() * share));
    return {
      take: () => {
        if (open >= own()) {
          if (this.#common >= this.all() * (1 - this.#shares)) {
            // Idle connections make room for new ones.
            const now = performance.now();
            if (now - relievedAt >= reliefInterval) server.closeIdleConnections();
            relievedAt = now;
            refused.add();
            return false;
          }
          this.#common += 1;
        }
        open += 1;
        this.open += 1;
        return true;
      },
      giveBack: () => {
        if (open > own()) this.#common -= 1;
        open -= 1;
        this.open -= 1;
      },
    };
  }

  /** The most connections. */
  all(): number {
    return (this.#most ??= mostConnections());
  }
}

const budget = new ConnectionBudget();

const refused = counters(
  'jetway_connections_refused_total',
  'Connections dropped because there was no room for them.',
)();
gauge('jetway_connections', 'Open connections of all listeners.', () => budget.open, 'sum');
gauge(
  'jetway_connections_limit',
  'Connections that the limit of open files leaves room for.',
  () => budget.all(),
  'sum',
);

function mostConnections(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
    const open = readdirSync('/proc/self/fd').length;
    return Math.max(fewestConnections, files - open - spareDescriptors);
  } catch {
    // Not Linux: without a known limit.
    return Infinity;
  }
}
