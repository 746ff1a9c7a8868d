// Owns taking a request off the wire: its raw path, query, headers and bounded body.

import type { IncomingMessage } from 'node:http';

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
  const origin = /^https?:\/\/[^/?]*/i.exec(target);
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

/** The sender broke off before the body was whole: nobody is left to answer, and no fault is ours. */
export class RequestCutOff extends Error {
  override readonly name = 'RequestCutOff';
}

/** The whole request; its body is read only up to the limit. Rejects with `RequestCutOff`. */
export async function readRequest(
  incoming: IncomingMessage,
  isProxy: ProxyTest,
): Promise<WireRequest> {
  // A socket that is closed meanwhile has no address any more.
  const peer = incoming.socket.remoteAddress ?? '';
  const body = await readBody(incoming);
  const address = (): string =>
    callerAddress(peer, () => headerValues(incoming, 'x-forwarded-for'), isProxy);
  return { ...readHead(incoming), body, address };
}

function readBody(incoming: IncomingMessage): Promise<Uint8Array | 'too_large'> {
  const { headers } = incoming;
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    return Promise.resolve(noBody);
  }
  if (Number(length) > maxBodyBytes) return Promise.resolve('too_large');
  return new Promise((resolve, reject) => {
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
      resolve('too_large');
    });
    incoming.on('end', () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    incoming.on('error', (error) => reject(new RequestCutOff(error.message)));
    incoming.on('close', () => {
      if (!incoming.complete) reject(new RequestCutOff());
    });
  });
}
