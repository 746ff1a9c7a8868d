// Owns a server of key sets for tests: HTTPS on this machine, under an authority of its own.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TestContext } from 'node:test';

import { type Authority, createAuthority } from './certificates.ts';
import { listenHere } from './listen.ts';
import { addressHere, nameHere } from './name_here.ts';

export interface KeyServer {
  /** Its address by name, `https://localhost:PORT/keys`, where the machine has a name. */
  readonly url: string;
  /** The same server by its IP address. */
  readonly byAddress: string;
  /** The authority that vouches for it, in PEM. */
  readonly authorities: string;
  /** How often it was asked. */
  readonly asked: () => number;
  /** From now on this answers: a body with status 200, or a listener. */
  readonly become: (answer: string | Listener) => void;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

let authority: Authority | undefined;

/** Listens until the test ends. */
export async function startKeyServer(t: TestContext, set: string): Promise<KeyServer> {
  authority ??= createAuthority('Partner');
  const { certificate: cert, key } = authority.issue('DNS:localhost,IP:127.0.0.1,IP:::1');
  let answer: string | Listener = set;
  let asked = 0;
  const server = createServer({ cert, key }, (request, response) => {
    asked += 1;
    if (typeof answer !== 'string') return answer(request, response);
    response.setHeader('Content-Type', 'application/jwk-set+json');
    return response.end(answer);
  });
  const address = await listenHere(t, server, addressHere);
  return {
    url: `https://${nameHere}:${address.split(':').at(-1)}/keys`,
    byAddress: `https://${address}/keys`,
    authorities: authority.certificate,
    asked: () => asked,
    become: (next) => {
      answer = next;
    },
  };
}
