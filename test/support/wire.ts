// Owns talking to a server as a client does, and whole answers to compare.

import { request as httpRequest } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';

/** An answer in full; headers that differ from run to run (Date, connection upkeep) are left out. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Of an https base. */
  readonly tls?: TlsClient;
}

/** Whom a client believes, and what it shows; PEM texts. */
export interface TlsClient {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  /** A connection for each request if left out. */
  readonly agent?: Agent;
}

/** The request id is tested where its rules are (test/wire/request_id.test.ts). */
const passing = new Set(['date', 'connection', 'keep-alive', 'content-length', 'x-request-id']);

/** Sends one request as it is written: no redirects followed, no path normalised. */
export function ask(
  base: string,
  target: string,
  { method = 'GET', headers = {}, body, tls }: Ask = {},
): Promise<Answer> {
  const { hostname: named, port } = new URL(base);
  const hostname = named.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const request = tls === undefined ? httpRequest : httpsRequest;
    const sent = request(
      {
        hostname,
        port,
        path: target,
        method,
        headers: headers as Record<string, string>,
        agent: false,
        ...tls,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', reject);
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const found = Object.entries(incoming.headers).filter(([name]) => !passing.has(name));
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(found.map(([name, value]) => [name, String(value)])),
            body: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** POSTs form fields; pairs may repeat a name. */
export function post(
  base: string,
  path: string,
  fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
  tls?: TlsClient,
): Promise<Answer> {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
  const body = new URLSearchParams(pairs as [string, string][]).toString();
  return ask(base, path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
    ...(tls && { tls }),
  });
}

/** How long a connection may be silent before an exchange over it is given up: milliseconds. */
const patience = 60_000;

/**
 * Writes raw bytes and reads until the server closes; for requests no library sends. Where the server
 * would keep the connection, the last request has to ask for its end.
 */
export function rawExchange(base: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setTimeout(patience, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(text);
      else reject(error);
    });
  });
}

/** The answer that was written to such an exchange, as `ask` tells it; a status of 0 where it is none. */
export function readRaw(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0),
    headers: Object.fromEntries(headers.filter(([name]) => !passing.has(name))),
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString(),
  };
}
