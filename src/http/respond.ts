// Owns putting a reply on the wire, and when a connection is closed whose requests were not read whole.

import type { Socket } from 'node:net';

import { inTurn } from '../lib/turn.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { ServingSocket } from './connections.ts';
import { hasBody, isPlainRequest, type Outgoing } from './read_request.ts';

/** A reply whose body may also be bytes, as a picture's is. */
export interface Answer extends Omit<Reply, 'body'> {
  readonly body: string | Uint8Array;
}

/** The reply with more headers. */
export function withHeaders<Any extends Answer>(
  reply: Any,
  headers: Readonly<Record<string, string>>,
): Any {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Makes the answer to a request whose own could not be made or written. */
export type Failed = (error: unknown, record: RequestRecord) => Reply;

interface Waiting {
  readonly outgoing: Outgoing;
  readonly reply: Answer;
  readonly failed: Failed;
}

const waiting: Waiting[] = [];
/**
 * Writes a reply at the end of this turn together with all others: their reader is woken once for all
 * of them, the largest saving on the request path. `failed` makes the reply to give instead of one
 * that cannot be written.
 */
export function write(outgoing: Outgoing, reply: Answer, failed: Failed): void {
  if (waiting.push({ outgoing, reply, failed }) === 1) inTurn('replies', writeWaiting);
}

function writeWaiting(): void {
  for (const { outgoing, reply, failed } of waiting.splice(0)) {
    try {
      put(outgoing, reply);
    } catch (error) {
      // HTTP cannot carry a header of it; nothing has been sent yet.
      put(outgoing, failed(error, outgoing.req.record));
    }
  }
}

function put(outgoing: Outgoing, { status, headers, body, cookies }: Answer): void {
  // What is missing of its body was refused meanwhile.
  if (outgoing.headersSent) return;
  const { record } = outgoing.req;
  const { idHeader } = record.endpoint;
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headers[name] ?? '');
  if (cookies !== undefined) for (const cookie of cookies) lines.push('Set-Cookie', cookie);
  const isEndless = !isPlainRequest(outgoing.req) && !outgoing.req.readableEnded;
  if (isEndless) lines.push('Connection', 'close');
  // RFC 9110 8.6. With a known length head and body leave together.
  const length = Buffer.byteLength(body);
  if (status !== 204 && status !== 304) lines.push('Content-Length', `${length}`);
  if (idHeader !== undefined) lines.push(idHeader, record.id);
  outgoing.writeHead(status, lines);
  // Of a connection that stays open node itself discards the rest of a short body.
  const closes = isEndless || !outgoing.shouldKeepAlive || headers['Connection'] === 'close';
  if (closes && hasRest(outgoing)) {
    sendBody(outgoing, body);
    endLate(outgoing);
  } else if (length === body.length) {
    // ASCII, or bytes: node writes it without looking for longer characters.
    outgoing.end(body, 'latin1');
  } else outgoing.end(body);
  record.answered(status);
}

function hasRest({ req: incoming }: Outgoing): boolean {
  return hasBody(incoming) && !incoming.readableEnded;
}

/** Bytes and milliseconds that what is not wanted is still read for. */
const mostUnwanted = 1024 * 1024;
const longestUnwanted = 2000;

/** Sends head and body of an answer that does not end yet. */
export function sendBody(outgoing: Outgoing, body: string | Uint8Array): void {
  if (body.length > 0 && outgoing.req.method !== 'HEAD') outgoing.write(body);
  else outgoing.flushHeaders();
}

/**
 * Ends the answer to a request whose body was refused: the client has it at once, but its connection
 * closes only when the client has sent the body, or too much of it. If it closed with bytes unread, the
 * kernel would reset it, and the client, or a proxy before us, might lose the answer (RFC 9112 9.6).
 */
export function endLate(outgoing: Outgoing): void {
  const { req: incoming } = outgoing;
  if (!hasRest(outgoing) || incoming.destroyed) {
    outgoing.end();
    return;
  }
  let left = mostUnwanted;
  const end = (): void => {
    clearTimeout(late);
    incoming.off('data', discard);
    outgoing.end();
  };
  const discard = (chunk: Uint8Array): void => {
    left -= chunk.length;
    if (left < 0) end();
  };
  const late = setTimeout(end, longestUnwanted);
  incoming.on('data', discard);
  incoming.once('close', end);
  incoming.resume();
}

/** Connections that end once the answers under way are given. */
const ending = new WeakMap<Socket, { most: number }>();

/**
 * Whether nothing is answered any more but what is under way; to be asked for all that comes on a connection
 * that is none of a request: too much of it cuts the connection off.
 */
export function isEnding(socket: Socket): boolean {
  const end = ending.get(socket);
  if (end !== undefined && socket.bytesRead > end.most) socket.destroy();
  return end !== undefined;
}

/**
 * Ends a connection on which no more requests can be read: after the answers to those that were, and `last`.
 * It is read on for a while, for the same reason as a body that is not wanted.
 */
export function endConnection(socket: ServingSocket, last: () => void): void {
  ending.set(socket, { most: socket.bytesRead + mostUnwanted });
  afterAnswers(socket, () => {
    // The answer before may have ended it.
    if (!socket.writable) return;
    last();
    socket.end();
    const late = setTimeout(() => socket.destroy(), longestUnwanted);
    socket.once('close', () => clearTimeout(late));
  });
}

/** Once the answers to whole requests have left; that of a request whose body cannot be read is no such. */
function afterAnswers(socket: ServingSocket, then: () => void): void {
  const { _httpMessage: outgoing } = socket;
  // Node has given the next answer its turn by then.
  if (outgoing?.req.complete === true) outgoing.once('finish', () => afterAnswers(socket, then));
  else then();
}
