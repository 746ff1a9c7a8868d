// Owns the answers to requests that reach no app: ambiguous ones, those that node or the adapter cannot
// read, and those that come before the app is there.

import { STATUS_CODES } from 'node:http';

import { type Observer, RequestRecord, usualIdHeader } from '../oauth/request_record.ts';
import type { ServingSocket } from './connections.ts';
import type { Outgoing } from './read_request.ts';

/** Answers, and ends the connection: what follows on it may not be what it seems. */
export function refuse(
  outgoing: Outgoing,
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { record } = outgoing.req;
  const body = JSON.stringify({ error });
  outgoing.writeHead(status, refusalHeaders(record, body, headers));
  outgoing.end(body);
  record.answered(status);
}

function refusalHeaders(
  { id }: RequestRecord,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    ...headers,
    [usualIdHeader]: id,
    Connection: 'close',
    'Content-Length': `${Buffer.byteLength(body)}`,
  };
}

/** What node's parser and time limits refuse, by the code of the error; any other `HPE_` is a 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The method of a request whose head could not be read. */
const unknownMethod = '-';

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
  const { _httpMessage: outgoing } = socket;
  const isUnreadable = code in statuses || code.startsWith('HPE_');
  if (isUnreadable && outgoing?.req.complete === true) {
    // The request before these bytes is under way, and gets its answer.
    outgoing.shouldKeepAlive = false;
    outgoing.once('finish', () => socket.destroySoon());
    return;
  }
  if (isUnreadable && socket.writable && outgoing?.headersSent !== true) {
    const status = statuses[code] ?? 400;
    const own = outgoing?.req.record;
    const record = own ?? beginUnreadable(observer);
    const body = JSON.stringify({ error: 'invalid_request' });
    const date = { Date: new Date().toUTCString() };
    const headers = Object.entries(refusalHeaders(record, body, date));
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
    // A request whose body ends here is recorded as cut off.
    if (own === undefined) record.answered(status);
    else own.status = status;
  }
  socket.destroy(error);
}

function beginUnreadable(observer: Observer | undefined): RequestRecord {
  const record = new RequestRecord(unknownMethod, observer);
  observer?.begun?.(record);
  return record;
}
