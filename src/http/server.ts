// Owns the listening server: its time limits, and requests refused before any routing.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

import type { Observer } from '../oauth/request_record.ts';
import { admission } from './admission.ts';
import { type ServingSocket, watchConnections } from './connections.ts';
import type { App } from './endpoints.ts';
import { authorityOf, bind, type Place } from './place.ts';
import { expectProxyHeaders } from './proxy_protocol.ts';
import { beginRecord, type Incoming, type Outgoing, type ProxyTest } from './read_request.ts';
import { refuse, refused, refuseTunnel, refuseUnreadable } from './refusals.ts';
import { createTlsServer, renewTls, type TlsMaterial } from './tls.ts';

/** A server that is listening. */
export interface RunningServer {
  /** `http://host:port` as actually bound; `https:` with TLS; `unix:` and a path. */
  readonly url: string;
  /** Puts another app in place; requests under way finish in the one they began in. */
  readonly swap: (app: App) => void;
  /**
   * Takes up other material, as `renewTls`; absent where the server began without. Where others vouch for
   * clients, each connection that is open ends with its next answer.
   */
  readonly renew?: (material: TlsMaterial) => void;
  /** Goes on, but from now on each answer ends its connection. */
  readonly lastAnswers: () => void;
  /** Stops accepting, lets requests under way finish, then resolves. */
  readonly close: () => Promise<void>;
}

/** Time limits of a connection, in milliseconds. */
export interface TimeLimits {
  /** For the head of a request. */
  readonly headersTimeout: number;
  /** For a whole request, its body included. */
  readonly requestTimeout: number;
  /** Between checks of these two. */
  readonly connectionsCheckingInterval: number;
  /** Without a next request. */
  readonly keepAliveTimeout: number;
  /** While an answer is under way and no byte moves. */
  readonly stillTimeout: number;
  /** For requests under way once the server is told to stop. */
  readonly drainTime: number;
}

/**
 * Limits for slow or silent senders (HOSTILE 47; node's default is 300 s) and for slow readers. No byte
 * moves on a connection either while a member waits for its turn to be authenticated.
 */
export const usualTimeLimits: TimeLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000,
  stillTimeout: 60_000,
  drainTime: 10_000,
};

/** Room for an Authorization header of 64 KB, which the dialect answers (HOSTILE 38). */
const maxHeaderSize = 96 * 1024;

export interface ListenOptions {
  /** The usual ones if left out. */
  readonly timeLimits?: TimeLimits;
  /** Part of the process's connections kept for this server, from 0 to 1; 0 if left out. */
  readonly share?: number;
  /** Plain HTTP if left out. */
  readonly tls?: TlsMaterial;
  /** Whether proxies, of the app's `isProxy`, begin connections with a PROXY header. */
  readonly proxyHeaders?: boolean;
  /** Whether every caller may decide what is sampled of its trace; if left out, trusted proxies alone. */
  readonly believesTraces?: boolean;
  /** Is told of each answer. */
  readonly observer?: Observer;
}

/**
 * Listens with an app; rejects when the address cannot be bound. Without one it answers 503 until
 * `swap` brings one, for callers whose app depends on the port they get.
 */
export async function listen(
  address: Place,
  app?: App,
  {
    timeLimits = usualTimeLimits,
    share = 0,
    tls,
    proxyHeaders = false,
    believesTraces = false,
    observer,
  }: ListenOptions = {},
): Promise<RunningServer> {
  const { stillTimeout, drainTime, ...limits } = timeLimits;
  let current = app;
  let listener = app?.listener() ?? notYet;
  // Node's own refusal of a request without a Host has other words than ours.
  const options = { ...limits, maxHeaderSize, requireHostHeader: false };
  const isProxy: ProxyTest = (peer) => current?.isProxy(peer) === true;
  const isBelieved: ProxyTest = believesTraces ? () => true : isProxy;
  const begin = (plain: ServerResponse): Outgoing => {
    const outgoing = plain as Outgoing;
    outgoing.req.record = beginRecord(outgoing.req, isBelieved, observer);
    connections.noteAnswer(outgoing);
    return outgoing;
  };
  const answer: RequestListener = (_incoming, plain) =>
    inOrder(plain, () => {
      const outgoing = begin(plain);
      const incoming = outgoing.req;
      if (!hasPlainHost(incoming)) refuse(outgoing, refused.host);
      else if (!isPlainlyFramed(incoming)) refuse(outgoing, refused.framing);
      else listener(incoming, outgoing);
    });
  const secure =
    tls === undefined ? undefined : createTlsServer(tls, options, limits.headersTimeout, answer);
  const server = secure ?? createServer(options, answer);
  server.setTimeout(stillTimeout);
  server.on('checkExpectation', (_incoming, plain) =>
    inOrder(plain, () => refuse(begin(plain), refused.expectation)),
  );
  server.on('clientError', (error, socket) =>
    refuseUnreadable(error, socket as ServingSocket, observer),
  );
  server.on('connect', (plain, socket) => {
    const incoming = plain as Incoming;
    incoming.record = beginRecord(incoming, isBelieved, observer);
    refuseTunnel(incoming, socket as ServingSocket);
  });
  const unread = proxyHeaders
    ? expectProxyHeaders(server, isProxy, limits.headersTimeout)
    : new Set<never>();
  const connections = watchConnections(server, share, drainTime, unread);
  await bind(server, address);
  const bound = authorityOf(server, address);
  if (bound === undefined) {
    await connections.drain();
    throw new Error('it is no TCP socket');
  }
  let vouching = tls?.clientAuthorities;
  const scheme = secure === undefined ? 'http' : 'https';
  return {
    url: 'path' in address ? bound : `${scheme}://${bound}`,
    swap: (next) => {
      current = next;
      listener = next.listener();
    },
    ...(secure && {
      renew: (next) => {
        renewTls(secure, next);
        // Certificates that nobody vouches for any more were believed in the handshakes of before.
        if (next.clientAuthorities !== vouching) connections.lastAnswersOfOpen();
        vouching = next.clientAuthorities;
      },
    }),
    lastAnswers: connections.lastAnswers,
    close: () => {
      // What refused connections have sent since is answered, too.
      admission.endRests();
      return connections.drain();
    },
  };
}

/** Requests that may wait on a connection for the answer to one before them; with more it is cut off. */
const mostBehind = 32;
/** How many wait, by connection. */
const behind = new WeakMap<Socket, number>();

/**
 * Begins a request once its answer is the connection's next one. Node reads on while a request is under way,
 * and knows only afterwards that its answer ends the connection: what stands behind such an answer may not
 * be what it seems, and is not executed (HOSTILE 45, 48).
 */
function inOrder(outgoing: ServerResponse, begin: () => void): void {
  const { socket } = outgoing.req;
  // Node gives an answer its socket when those before it have left.
  if (outgoing.socket !== null) {
    if (socket.writable) begin();
    return;
  }
  const waiting = (behind.get(socket) ?? 0) + 1;
  behind.set(socket, waiting);
  // Each holds its head, and what of its body was read.
  if (waiting > mostBehind) socket.destroy();
  outgoing.once('socket', () => {
    behind.set(socket, (behind.get(socket) ?? 1) - 1);
    begin();
  });
}

/** RFC 3986 3.2.2 and 3.2.3: a host and perhaps a port. */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\w.:]+\])(?::\d*)?$/;

/**
 * HOSTILE 48, 64: node accepts a second Host, and any text as a Host. RFC 9112 3.2 has both refused, and
 * an HTTP/1.1 request without a Host.
 */
function hasPlainHost(incoming: IncomingMessage): boolean {
  const raw = incoming.rawHeaders;
  let hosts = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (!hostForm.test(raw[index + 1] ?? '')) return false;
    hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && incoming.httpVersion === '1.0');
}

/** HOSTILE 48: a proxy reads other transfer codings, which we would not decode, in another way. */
function isPlainlyFramed({ headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  return encoding === undefined || encoding.toLowerCase() === 'chunked';
}

function notYet(_incoming: Incoming, outgoing: Outgoing): void {
  refuse(outgoing, refused.start);
}
