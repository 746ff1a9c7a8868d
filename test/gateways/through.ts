// Owns asking the loyalty API through a gateway: over TLS, HTTP/1.1 or HTTP/2, by a socket's path or
// a port.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';

import type { Answer, Ask } from '../support/wire.ts';

export const host = 'api.airline.example';

/** Where a gateway listens, and the authority of its certificate. */
export interface Door {
  readonly at: { readonly path: string } | { readonly port: number; readonly host?: string };
  readonly authority: string;
  /** The caller's own address; the usual one if left out. */
  readonly from?: string;
}

/** Headers of an answer that tell of the request: those that differ from run to run are left out. */
const telling = new Set([
  'allow',
  'cache-control',
  'content-type',
  'pragma',
  'retry-after',
  'www-authenticate',
]);

/** The answer's status, telling headers and body. */
export async function askThrough(door: Door, target: string, asked: Ask = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = asked;
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      {
        ...('path' in door.at ? { socketPath: door.at.path } : door.at),
        ...(door.from === undefined ? {} : { localAddress: door.from }),
        ca: door.authority,
        servername: host,
        path: target,
        method,
        headers: { host, ...headers } as Record<string, string>,
        agent: false,
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body);
  });
  const found = pairsOf(incoming.rawHeaders).filter(([name]) => telling.has(name));
  const received = await text(incoming);
  return { status: incoming.statusCode ?? 0, headers: joined(found), body: received };
}

/** Lower-case names with their values, in order, repeated ones too. */
export function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ''] as const] : [],
  );
}

/** A header sent twice shows as such: its values are joined. */
function joined(pairs: readonly (readonly [string, string])[]): Answer['headers'] {
  const all = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : `${before} | ${value}`);
  }
  return Object.fromEntries(all);
}

/** The same over HTTP/2; its status. */
export async function askByHttp2(
  door: Door,
  target: string,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<number> {
  const session = connectHttp2(`https://${host}`, {
    createConnection: () => openTls(door, ['h2']),
  });
  try {
    const stream = session.request({ ':path': target, ...headers });
    stream.end();
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    await text(stream);
    return Number(answer[':status']);
  } finally {
    session.destroy();
  }
}

function openTls({ at, authority }: Door, protocols: string[]): TLSSocket {
  return connectTls({ ...at, ca: authority, servername: host, ALPNProtocols: protocols });
}

/** Writes raw bytes and reads until the gateway closes; the last request has to ask for that. */
export function exchangeThrough(door: Door, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = openTls(door, ['http/1.1']);
    socket.on('secureConnect', () => socket.write(bytes, 'latin1'));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A gateway that refuses what it has not read to its end may break off.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(received);
      else reject(error);
    });
  });
}
