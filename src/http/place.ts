// Owns where a server can listen: at an address, a socket that was handed down, or a unix socket.

import type { Server } from 'node:net';

import { listenAtPath } from '../lib/unix_socket.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A socket that listens already, which another process has handed down; it stays open there. */
export interface HandedSocket {
  readonly fd: number;
}

/** A unix socket, for the server's user and group. */
export interface SocketPath {
  readonly path: string;
}

export type Place = ListenAddress | HandedSocket | SocketPath;

/** For a handed socket: node would cut the queue to 511, in which connections wait for the next server. */
const handedBacklog = 4096;

export function bind(server: Server, place: Place): Promise<void> {
  if ('path' in place) return listenAtPath(server, place.path, 0o660);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const listening = (): void => {
      server.off('error', reject);
      resolve();
    };
    if ('fd' in place) server.listen({ fd: place.fd }, handedBacklog, listening);
    else server.listen(place.port, place.host, listening);
  });
}

/** `host:port` as actually bound, or `unix:` and a path; undefined for a handed socket without either. */
export function authorityOf(server: Server, place: Place): string | undefined {
  if ('path' in place) return `unix:${place.path}`;
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return undefined;
  const { address, family, port } = bound;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
