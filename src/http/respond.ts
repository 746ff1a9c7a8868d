// Owns putting a Reply on the wire.

import type { Reply } from '../oauth/reply.ts';

/**
 * A Response of plain parts: the adapter writes such a one at once, without building Web streams
 * and Headers.
 */
export function respond(reply: Reply): Response {
  return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
}

/** The reply with more headers. */
export function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}
