// Owns putting a Reply on the wire: as a Response for the framework, or straight to the connection.

import { inTurn } from '../lib/turn.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { Outgoing } from './read_request.ts';

/** A reply whose body may also be bytes, as a picture's is. */
export interface Answer extends Omit<Reply, 'body'> {
  readonly body: string | Uint8Array;
}

type Body = ConstructorParameters<typeof Response>[0];

/** A Response of plain parts, which the adapter writes without building Web streams and Headers. */
export function respond(
  { status, headers, body, cookies = [] }: Answer,
  record: RequestRecord,
): Response {
  const { idHeader } = record.endpoint;
  record.answered(status);
  const all = idHeader === undefined ? headers : { ...headers, [idHeader]: record.id };
  const response = new Response(body as Body, { status, headers: { ...all } });
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
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
  const lines: string[] = [];
  for (const name in headers) lines.push(name, headers[name] ?? '');
  if (cookies !== undefined) for (const cookie of cookies) lines.push('Set-Cookie', cookie);
  // RFC 9110 8.6. With a known length head and body leave together.
  if (status !== 204 && status !== 304) lines.push('Content-Length', `${Buffer.byteLength(body)}`);
  if (idHeader !== undefined) lines.push(idHeader, record.id);
  outgoing.writeHead(status, lines);
  outgoing.end(body);
  record.answered(status);
}

/** After the answer Node reads the rest of a body to discard it: not of a long one. */
export function closing<Any extends Answer>(reply: Any, isShort: boolean): Any {
  return isShort ? reply : withHeaders(reply, { Connection: 'close' });
}
