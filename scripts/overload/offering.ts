// Owns a server under load: the server on one core, the generator on the other, and the streams of
// requests that campaigns offer.

import { type Child, startChild } from '../bench/child.ts';
import { jetwayCommand } from '../campaign_options.ts';
import { type Serving, startServing } from '../many_programmes/serving.ts';
import { tokenRequest } from '../timing/door.ts';
import { client, layOut } from '../timing/site.ts';
import type { Offered } from './findings.ts';
import type { GeneratorCommands, StreamOrder } from './generator.ts';

export interface Offering {
  readonly serving: Serving;
  readonly offer: (streams: readonly StreamOrder[], seconds: number) => Promise<Offered>;
}

export function startGenerator(): Child<GeneratorCommands> {
  return startChild<GeneratorCommands>(import.meta.resolve('./generator.ts'), [], 1);
}

export async function offerTo(
  generator: Child<GeneratorCommands>,
  serving: Serving,
  streams: readonly StreamOrder[],
  seconds: number,
): Promise<Offered> {
  const before = serving.cpu();
  const results = await generator.ask('offer', { streams, seconds });
  return { results, seconds, cpu: serving.cpu() - before };
}

/** Lays out the folder, serves it with all listeners while `work` runs, and stops both processes. */
export async function underLoad<Result>(
  folder: string,
  { members, executable }: { readonly members: number; readonly executable: string | undefined },
  work: (offering: Offering) => Promise<Result>,
): Promise<Result> {
  const site = await layOut(folder, { members, listeners: ['admin', 'gateway'] });
  const serving = await startServing(['taskset', '-c', '0', ...jetwayCommand(executable)], site);
  const generator = startGenerator();
  try {
    return await work({
      serving,
      offer: (streams, seconds) => offerTo(generator, serving, streams, seconds),
    });
  } finally {
    await generator.end();
    await serving.stop();
  }
}

/** A stream of one request: `rate` a second, or with 0 as fast as its connections are answered. */
export type Stream = (rate: number, connections: number) => StreamOrder;

/** The streams by name; `verify` asks about the bearer's token, or without one is refused. */
export function streamsTo(
  { port, gatewayPort, adminPort }: Serving,
  bearer?: string,
): Readonly<Record<'token' | 'wrong secret' | 'login' | 'verify' | 'health', Stream>> {
  const stream =
    (name: string, to: number, request: string): Stream =>
    (rate, connections) => ({ name, port: to, requests: [request], connections, rate });
  const get = (path: string, ...headers: readonly string[]): string =>
    [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '\r\n'].join('\r\n');
  const proof = bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`];
  const tokenPath = '/store/api/grant';
  const login = `/store/auth/login?client_id=${client.id}&response_type=code`;
  return {
    token: stream('token', port, tokenRequest(tokenPath, client.id, client.secret)),
    'wrong secret': stream(
      'wrong secret',
      port,
      tokenRequest(tokenPath, client.id, 'a secret that it never had'),
    ),
    /** Each begins a login. */
    login: stream('login', port, get(login)),
    verify: stream('verify', gatewayPort, get('/store/verify/client', ...proof)),
    health: stream('health', adminPort, get('/livez')),
  };
}
