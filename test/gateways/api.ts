// Owns the loyalty API as tests have it behind a gateway: it tells what reached it.

import { createServer } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import type { TestContext } from 'node:test';

import { listenHere } from '../support/listen.ts';
import { pairsOf } from './through.ts';

/** A request as the API got it; header names in lower case. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface EchoApi {
  /** `host:port` */
  readonly address: string;
  /** Everything that arrived, in order. */
  readonly arrived: Arrived[];
}

/** An API that answers every request with 200. */
export async function startApi(t: TestContext): Promise<EchoApi> {
  const arrived: Arrived[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: target = '', rawHeaders } = incoming;
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      arrived.push({ method, target, headers: pairsOf(rawHeaders), body });
      outgoing.end('done');
    });
  });
  return { address: await listenHere(t, server), arrived };
}

/** What passed on the way from a gateway to Jetway. */
export interface Wire {
  /** `host:port` for the gateway to ask at. */
  readonly address: string;
  /** All bytes that the gateway sent. */
  readonly sent: () => string;
  /** How many connections it opened. */
  readonly connections: () => number;
}

/** A listening ear between a gateway and `target`. */
export async function startWire(t: TestContext, target: string): Promise<Wire> {
  const { hostname, port } = new URL(target);
  let sent = '';
  let connections = 0;
  const server = createNetServer((near) => {
    connections += 1;
    const far = connect(Number(port), hostname);
    near.on('data', (chunk) => {
      sent += chunk.toString('latin1');
    });
    near.pipe(far);
    far.pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    t.after(() => near.destroy());
  });
  const address = await listenHere(t, server);
  return { address, sent: () => sent, connections: () => connections };
}
