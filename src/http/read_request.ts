// Owns taking a request off the wire: its raw path, query, headers, bounded body and sender's address.

import type { IncomingMessage, ServerResponse } from 'node:http';

import { plainAddress } from '../lib/ip_address.ts';
import { namesAlone, readTraceparent } from '../lib/trace_context.ts';
import { HungUp } from '../oauth/failure.ts';
import { type Observer, RequestRecord } from '../oauth/request_record.ts';
import { headerValues, type RequestHead, type WireRequest } from '../oauth/wire_request.ts';
import { certificateReader } from './tls.ts';

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

/** A request with the record that its listener keeps of it. */
export interface Incoming extends IncomingMessage {
  record: RequestRecord;
}

/**
 * The record of a request whose head has come.
 *
 * @param isBelieved whether a caller of this address may decide what is sampled
 */
export function beginRecord(
  { method = '', headers, socket }: IncomingMessage,
  isBelieved: ProxyTest,
  observer?: Observer,
): RequestRecord {
  const record = new RequestRecord(method, observer);
  const { traceparent } = headers;
  // Node joins several to a list, which is no traceparent.
  if (typeof traceparent === 'string') {
    const trace = readTraceparent(traceparent, headers['tracestate']?.toString());
    record.trace =
      trace === undefined || isBelieved(plainAddress(socket.remoteAddress ?? '') ?? '')
        ? trace
        : namesAlone(trace);
  }
  observer?.begun?.(record);
  return record;
}

/** The answer that is to be given to a request. */
export type Outgoing = ServerResponse<Incoming>;

/** Everything of a request but its body; its record is told how to find the caller behind proxies. */
export function readHead(incoming: Incoming, isProxy?: ProxyTest): RequestHead {
  const { method = '', url = '', rawHeaders, record } = incoming;
  if (isProxy !== undefined) record.forwarded = forwardedBy(incoming, isProxy);
  return { method, ...splitTarget(url), rawHeaders, record };
}

export interface Exchange {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
}

/**
 * Takes the whole request; its body is read only up to the limit. `cutOff` is told where the sender breaks
 * off before it is whole. Without a promise, which every request would pay for.
 */
export function receiveRequest(
  { incoming, outgoing }: Exchange,
  isProxy: ProxyTest,
  received: (request: WireRequest) => void,
  cutOff: (error: HungUp) => void,
): void {
  // Read now: a closed socket has no address.
  const peer = incoming.socket.remoteAddress ?? '';
  const address = (): string => addressOf(incoming, isProxy, peer);
  const hangUp = (): AbortSignal => hangUpOf(outgoing);
  const certificate = certificateReader(incoming.socket);
  const take = (body: WireRequest['body']): void => {
    const { method, path, query, rawHeaders, record } = readHead(incoming, isProxy);
    record.address = address;
    received({ method, path, query, rawHeaders, body, address, certificate, hangUp, record });
  };
  const length = bodyLength(incoming);
  if (length === 0) take(noBody);
  else if (length > maxBodyBytes) take('too_large');
  else receiveBody(incoming, take, cutOff);
}

/** Whether the request has no body, or one of an announced length within the limit. */
export function isPlainRequest(incoming: IncomingMessage): boolean {
  return bodyLength(incoming) <= maxBodyBytes;
}

export function hasBody(incoming: IncomingMessage): boolean {
  return bodyLength(incoming) !== 0;
}

/** Announced bytes of the body; NaN where it comes in chunks. */
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
  const note = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size <= maxBodyBytes) {
      chunks.push(chunk);
      return;
    }
    // The answer decides how much of the rest is read.
    incoming.pause();
    incoming.off('data', note).off('end', end).off('close', close);
    take('too_large');
  };
  const end = (): void => {
    const [only] = chunks;
    take(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  };
  // An aborted request emits 'error' only if somebody listens for it, but always 'close'.
  const close = (): void => {
    if (!incoming.complete) cutOff(new HungUp());
  };
  incoming.on('data', note).on('end', end).on('close', close);
}

/** Node emits 'close' on an answer when it was sent, or with its connection. */
function hangUpOf(outgoing: Outgoing): AbortSignal {
  const controller = new AbortController();
  const note = (): void => {
    if (!outgoing.writableEnded) controller.abort(new HungUp());
  };
  if (outgoing.destroyed) note();
  else outgoing.once('close', note);
  return controller.signal;
}

/** Whether an address is that of the operator's own proxy. */
export type ProxyTest = (address: string) => boolean;

/** Trusts no proxy: the caller's address is the socket's. */
export const noProxies: ProxyTest = () => false;

/**
 * The caller's address: the socket's, or behind trusted proxies the rightmost hop that is no trusted
 * proxy. A stranger may have written what stands further left (HOSTILE 21, RFC 9700 4.13). A hop that
 * is no address ends the search at the hop before it.
 *
 * @param peer the socket's address; empty when the socket is gone
 * @param forwarded every X-Forwarded-For header, in order
 */
export function callerAddress(
  peer: string,
  forwarded: () => readonly string[],
  isProxy: ProxyTest,
): string {
  let address = plainAddress(peer) ?? peer;
  if (!isProxy(address)) return address;
  // Only as far as needed: what stands further left can be long, and is a stranger's.
  let rest = forwarded().join(',');
  for (let hops = 0; hops < mostProxies && rest !== ''; hops += 1) {
    const comma = rest.lastIndexOf(',');
    const found = readHop(rest.slice(comma + 1).trim());
    if (found === undefined) return address;
    address = found;
    if (!isProxy(address)) return address;
    rest = rest.slice(0, Math.max(0, comma));
  }
  return address;
}

/** The caller's address, behind trusted proxies too; `peer` is the socket's. */
export function addressOf(
  incoming: Incoming,
  isProxy: ProxyTest,
  peer: string = incoming.socket.remoteAddress ?? '',
): string {
  return callerAddress(peer, () => headerValues(incoming, 'x-forwarded-for'), isProxy);
}

/** Without the word of a trusted proxy the address would be the gateway's own, which has all callers. */
function forwardedBy(incoming: Incoming, isProxy: ProxyTest): () => string | undefined {
  const peer = incoming.socket.remoteAddress ?? '';
  return () => {
    if (!isProxy(plainAddress(peer) ?? peer)) return undefined;
    const found = callerAddress(peer, () => headerValues(incoming, 'x-forwarded-for'), isProxy);
    return isProxy(found) ? undefined : found;
  };
}

/** More than stand one behind the other anywhere. */
const mostProxies = 32;

/** The address of a hop; some proxies add a port or brackets. */
function readHop(hop: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop) ?? [];
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(hop) ?? [];
  return plainAddress(bracketed ?? withPort ?? hop);
}
