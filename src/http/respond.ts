// Owns putting a reply on the wire, and the end of a connection whose request was not read whole.

import { inTurn } from '../lib/turn.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import { isPlainRequest, type Outgoing } from './read_request.ts';

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
  const { record } = outgoing.req;
  const { idHeader } = record.endpoint;
  // Node itself discards the rest of a short one.
  const isRead = isPlainRequest(outgoing.req) || outgoing.req.readableEnded;
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headers[name] ?? '');
  if (cookies !== undefined) for (const cookie of cookies) lines.push('Set-Cookie', cookie);
  if (!isRead) lines.push('Connection', 'close');
  // RFC 9110 8.6. With a known length head and body leave together.
  if (status !== 204 && status !== 304) lines.push('Content-Length', `${Buffer.byteLength(body)}`);
  if (idHeader !== undefined) lines.push(idHeader, record.id);
  outgoing.writeHead(status, lines);
  if (isRead) outgoing.end(body);
  else endLate(outgoing, body);
  record.answered(status);
}

/** Bytes and milliseconds that a body that is not wanted is still read for. */
const mostUnwanted = 1024 * 1024;
const longestUnwanted = 2000;

/**
 * Ends the answer to a request whose body was refused: the client has it at once, but its connection
 * closes only when the client has sent the body, or too much of it. If it closed with bytes unread, the
 * kernel would reset it, and the client, or a proxy before us, might lose the answer (RFC 9112 9.6).
 */
function endLate(outgoing: Outgoing, body: string | Uint8Array): void {
  const { req: incoming } = outgoing;
  if (body.length > 0) outgoing.write(body);
  else outgoing.flushHeaders();
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
  if (incoming.destroyed) {
    end();
    return;
  }
  incoming.on('data', discard);
  incoming.once('close', end);
  incoming.resume();
}
