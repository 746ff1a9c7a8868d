// Owns the answers to requests that reach no app: ambiguous ones, those that node or the adapter cannot
// read, and those that come before the app is there. Each ends its connection.

import { STATUS_CODES } from 'node:http';

import { ownMethods } from '../engine/causes/trouble.ts';
import { type Cause, ownCause, ownRule } from '../oauth/cause.ts';
import {
  type Observer,
  type RecordedFailure,
  RequestRecord,
  usualIdHeader,
} from '../oauth/request_record.ts';
import type { ServingSocket } from './connections.ts';
import type { Incoming, Outgoing } from './read_request.ts';
import { endConnection, endLate, isEnding, sendBody } from './respond.ts';

/** What a refusal says, and why. */
interface Refused {
  readonly status: number;
  readonly error: string;
  readonly failure: RecordedFailure;
  readonly headers?: Readonly<Record<string, string>>;
}

function failureOf(reason: string, cause: Cause): RecordedFailure {
  return Object.freeze({ reason, facts: Object.freeze({ cause }) });
}

/** The failure of a request that cannot be read, or in more than one way. */
export function unreadable(expected: string, came: string): RecordedFailure {
  return failureOf('unreadable', ownCause(ownRule, expected, came));
}

function invalid(status: number, expected: string, came: string): Refused {
  return { status, error: 'invalid_request', failure: unreadable(expected, came) };
}

const tunnelMethods: ReadonlySet<string> = new Set(['GET', 'POST']);

/** Requests whose head is read, and that no app is given. */
export const refused = {
  host: invalid(400, 'one Host header, of a host and perhaps a port', 'none, several or another'),
  framing: invalid(400, 'a body of a length, or in chunks alone', 'another transfer coding'),
  expectation: invalid(417, 'no expectation but 100-continue', 'another'),
  start: {
    status: 503,
    error: 'temporarily_unavailable',
    failure: failureOf(
      'temporarily_unavailable',
      ownCause(ownRule, 'a server that has begun', 'one that begins'),
    ),
    headers: { 'Retry-After': '1' },
  },
  tunnel: {
    status: 405,
    error: 'method_not_allowed',
    failure: failureOf('method_not_allowed', ownMethods(tunnelMethods)),
    headers: { Allow: [...tunnelMethods].join(', ') },
  },
} as const satisfies Readonly<Record<string, Refused>>;

/** What node's parser and time limits refuse, by the code of the error; any other `HPE_` is a 400. */
const unread: Readonly<Record<string, Refused>> = {
  HPE_HEADER_OVERFLOW: invalid(431, 'a head of at most 96 KiB', 'a longer one'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: invalid(413, 'chunk extensions of at most 16 KiB', 'longer ones'),
  HPE_INVALID_EOF_STATE: invalid(400, 'a whole request', 'the end of the connection in it'),
  ERR_HTTP_REQUEST_TIMEOUT: invalid(408, 'a whole request in time', 'a part of one'),
};

/** The method of a request whose head could not be read. */
const unknownMethod = '-';

/** Answers, and ends the connection: what follows on it may not be what it seems. */
export function refuse(outgoing: Outgoing, refusal: Refused): void {
  send(outgoing, refusal);
  endLate(outgoing);
}

function send(outgoing: Outgoing, refusal: Refused): void {
  const { record } = outgoing.req;
  const { body, headers } = wording(record, refusal);
  outgoing.writeHead(refusal.status, headers);
  sendBody(outgoing, body);
  note(record, refusal);
}

/** The same where node has made no answer. */
function sendBare(socket: ServingSocket, record: RequestRecord, refusal: Refused): void {
  const { status } = refusal;
  const { body, headers } = wording(record, refusal);
  const entries = Object.entries({ ...headers, Date: new Date().toUTCString() });
  const lines = entries.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  note(record, refusal);
}

function wording(
  { id }: RequestRecord,
  { error, headers }: Refused,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const body = JSON.stringify({ error });
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...headers,
      [usualIdHeader]: id,
      Connection: 'close',
      'Content-Length': `${Buffer.byteLength(body)}`,
    },
  };
}

function note(record: RequestRecord, { status, failure }: Refused): void {
  record.failure = failure;
  record.answered(status);
}

/**
 * Answers on a connection whose next bytes are no request, or do not come in time, and closes it.
 *
 * @param error of node's parser, its time limits, TLS, or the connection
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: ServingSocket,
  observer?: Observer,
): void {
  const { code = '' } = error;
  // Node tells of what comes on such a connection again and again.
  if (isEnding(socket)) return;
  const refusal =
    unread[code] ?? (code.startsWith('HPE_') ? invalid(400, 'a request of HTTP', code) : undefined);
  if (refusal === undefined) {
    socket.destroy(error);
    return;
  }
  refuseNext(socket, (outgoing) => {
    if (outgoing === undefined) sendBare(socket, beginUnreadable(observer), refusal);
    else if (!outgoing.headersSent) send(outgoing, refusal);
  });
}

/** HOSTILE 45: refuses a CONNECT, whose connection node gives away. */
export function refuseTunnel({ record }: Incoming, socket: ServingSocket): void {
  socket.on('error', () => socket.destroy());
  socket.resume();
  refuseNext(socket, () => sendBare(socket, record, refused.tunnel));
}

/**
 * Sends a refusal as the next answer of a connection, and ends it: the requests before it get theirs
 * (RFC 9112 9.3.2).
 *
 * @param refuseIt gets the answer of the request whose body it is that cannot be read
 */
function refuseNext(socket: ServingSocket, refuseIt: (outgoing?: Outgoing) => void): void {
  endConnection(socket, () => {
    const { parser } = socket;
    const { _httpMessage: outgoing } = socket;
    if (outgoing) refuseIt(outgoing);
    // Of a request that was answered by its head, the body has no answer of its own.
    else if (parser?.incoming?.complete !== false) refuseIt();
  });
}

function beginUnreadable(observer: Observer | undefined): RequestRecord {
  const record = new RequestRecord(unknownMethod, observer);
  observer?.begun?.(record);
  return record;
}
