// Owns taking a request off the wire: its raw path, query, headers and bounded body.

import type { IncomingMessage, ServerResponse } from 'node:http';

import { HungUp } from '../oauth/failure.ts';
import { headerValues, type RequestHead, type WireRequest } from '../oauth/wire_request.ts';
import { callerAddress, type ProxyTest } from './caller_address.ts';

/** More than any token or login request holds (HOSTILE 46). */
const maxBodyBytes = 64 * 1024;

const noBody = new Uint8Array();

/**
 * The request target without scheme and host, split at its first `?`. The path stays as it was
 * sent: decoding it or removing dot segments would let `/x/../auth/login` in (HOSTILE 49).
 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const origin = target.startsWith('/') ? null : /^https?:\/\/[^/?]*/i.exec(target);
  const rest = origin === null ? target : target.slice(origin[0].length);
  // RFC 9112 3.2.2: an absolute target without a path means the root.
  const local = rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
  const question = local.indexOf('?');
  if (question < 0) return { path: local, query: '' };
  return { path: local.slice(0, question), query: local.slice(question + 1) };
}

/** Everything of a request but its body. */
export function readHead(incoming: IncomingMessage): RequestHead {
  const { method = '', url = '', rawHeaders } = incoming;
  return { method, ...splitTarget(url), rawHeaders };
}

/** A request, and the answer that is to be given to it. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/**
 * The whole request; its body is read only up to the limit. Rejects with `HungUp` where the sender
 * breaks off before it is whole.
 */
export function readRequest(exchange: Exchange, isProxy: ProxyTest): Promise<WireRequest> {
  return new Promise((resolve, reject) => {
    receiveRequest(exchange, isProxy, resolve, reject);
  });
}

/** The same without a promise, for the requests that are many. */
export function receiveRequest(
  { incoming, outgoing }: Exchange,
  isProxy: ProxyTest,
  received: (request: WireRequest) => void,
  cutOff: (error: HungUp) => void,
): void {
  // A socket that is closed meanwhile has no address any more.
  const peer = incoming.socket.remoteAddress ?? '';
  const address = (): string =>
    callerAddress(peer, () => headerValues(incoming, 'x-forwarded-for'), isProxy);
  const hangUp = (): AbortSignal => hangUpOf(outgoing);
  const take = (body: WireRequest['body']): void => {
    const { method, path, query, rawHeaders } = readHead(incoming);
    received({ method, path, query, rawHeaders, body, address, hangUp });
  };
  const length = bodyLength(incoming);
  if (length === 0) take(noBody);
  else if (length > maxBodyBytes) take('too_large');
  else receiveBody(incoming, take, cutOff);
}

/** Whether the body, if there is one, is announced with a length that we read to its end. */
export function isPlainRequest(incoming: IncomingMessage): boolean {
  return bodyLength(incoming) <= maxBodyBytes;
}

/** Bytes of the body as announced; not a number where it comes in chunks. */
function bodyLength({ headers }: IncomingMessage): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : Number.NaN;
}

function receiveBody(
  incoming: IncomingMessage,
  take: (body: WireRequest['body']) => void,
  cutOff: (error: HungUp) => void,
): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  incoming.on('data', (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= maxBodyBytes) {
      chunks.push(chunk);
      return;
    }
    // What is unread stays unread; the answer closes the connection.
    incoming.pause();
    incoming.removeAllListeners('data');
    take('too_large');
  });
  incoming.on('end', () => {
    const [only] = chunks;
    take(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  });
  // An abort is an error only for who listens to errors; every one of them closes.
  incoming.on('close', () => {
    if (!incoming.complete) cutOff(new HungUp());
  });
}

/** Node closes an answer when it is out, or with its connection. */
function hangUpOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const note = (): void => {
    if (!outgoing.writableEnded) controller.abort(new HungUp());
  };
  if (outgoing.destroyed) note();
  else outgoing.once('close', note);
  return controller.signal;
}
