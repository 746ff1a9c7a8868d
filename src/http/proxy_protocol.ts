// Owns the PROXY protocol, version 2: what a proxy says at the begin of a connection about whose it is.

import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';

import { plainAddress } from '../lib/ip_address.ts';
import type { ProxyTest } from './read_request.ts';

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** Signature, version and command, family, and the length of the rest. */
const headBytes = 16;
/** More than addresses and what proxies add to them. */
const mostBytes = 4096;

/** Version 2 with each command: LOCAL is the proxy's own question, PROXY somebody else's connection. */
const [local, proxied] = [0x20, 0x21];
/** Of TCP alone, by the byte of the family: bytes of an address. */
const addressBytes: ReadonlyMap<number, number> = new Map([
  [0x11, 4],
  [0x21, 16],
]);
/** The proxy does not say whose. */
const unspecified = 0x00;

/**
 * Has every connection of a server begin with a header, whose source address then stands for the
 * socket's. Call it before anything else listens for connections. A connection is cut where it is of
 * no proxy, since anybody could write such a header, where the header is malformed, and where it has
 * not come within the time.
 *
 * @param patience milliseconds
 * @returns the connections whose header has not come yet
 */
export function expectProxyHeaders(
  server: HttpServer,
  isProxy: ProxyTest,
  patience: number,
): ReadonlySet<Socket> {
  const takers = server.listeners('connection');
  server.removeAllListeners('connection');
  const waiting = new Set<Socket>();
  server.on('connection', (socket) => {
    if (!isProxy(plainAddress(socket.remoteAddress ?? '') ?? '')) {
      socket.destroy();
      return;
    }
    const late = setTimeout(() => socket.destroy(), patience);
    const leave = (): void => {
      clearTimeout(late);
      waiting.delete(socket);
    };
    const ignore = (): void => undefined;
    let head: Buffer | null = null;
    const read = (): void => {
      head ??= socket.read(headBytes) as Buffer | null;
      if (head === null) return;
      const length = head.readUInt16BE(14);
      if (!head.subarray(0, 12).equals(signature) || length > mostBytes) {
        socket.destroy();
        return;
      }
      const rest = length === 0 ? Buffer.alloc(0) : (socket.read(length) as Buffer | null);
      if (rest === null) return;
      const source = sourceOf(head, rest);
      if (source === 'malformed') {
        socket.destroy();
        return;
      }
      if (source !== 'own') callIt(socket, source);
      leave();
      socket.off('readable', read).off('error', ignore).off('close', leave);
      for (const take of takers) take.call(server, socket);
    };
    waiting.add(socket);
    socket.on('readable', read).on('error', ignore).on('close', leave);
  });
  server.prependListener('secureConnection', (socket: Socket & { _parent?: Socket }) => {
    const { _parent: below } = socket;
    if (below?.remoteAddress !== undefined) callIt(socket, below.remoteAddress);
  });
  return waiting;
}

function sourceOf(head: Buffer, rest: Buffer): string {
  const [command, family = -1] = head.subarray(12);
  if (command === local) return 'own';
  if (command !== proxied) return 'malformed';
  if (family === unspecified) return 'own';
  const size = addressBytes.get(family);
  // Both addresses and both ports.
  if (size === undefined || rest.length < 2 * size + 4) return 'malformed';
  const source = rest.subarray(0, size);
  if (size === 4) return source.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => source.readUInt16BE(2 * index));
  return groups.map((group) => group.toString(16)).join(':');
}

function callIt(socket: Socket, address: string): void {
  Object.defineProperty(socket, 'remoteAddress', { value: address });
}
