// Owns a server with the programme `store` under load, and the streams that are put on it.

import { onFirstCore } from './child.ts';
import { startGenerator, type StreamOrder } from './generator.ts';
import { basic, client, get, tokenRequest } from './requests.ts';
import { jetwayCommand, type Offered, offerTo, type Server, startServer } from './server.ts';
import { layOut, openClub } from './site.ts';

export interface Offering {
  readonly server: Server;
  readonly offer: (streams: readonly StreamOrder[], seconds: number) => Promise<Offered>;
}

export interface LoadOptions {
  readonly folder: string;
  readonly executable: string | undefined;
  /** Whether the server has one core for itself, and the load another. */
  readonly isPinned: boolean;
  /** Members of each kind that `store` has. */
  readonly members?: number;
}

/** Serves `store` while `work` runs, and stops server and generator. */
export async function underLoad<Result>(
  { folder, executable, isPinned, members = 0 }: LoadOptions,
  work: (offering: Offering) => Promise<Result>,
): Promise<Result> {
  const programmes = { store: openClub('store') };
  const site = await layOut(folder, { programmes, owners: ['store'], members });
  const command = jetwayCommand(executable);
  const server = await startServer(isPinned ? onFirstCore(command) : command, site);
  const generator = startGenerator();
  try {
    return await work({
      server,
      offer: (streams, seconds) => offerTo(generator, [server], streams, seconds),
    });
  } finally {
    await generator.end();
    await server.stop();
  }
}

/** A stream of one request: `rate` a second, or with 0 as fast as its connections are answered. */
type Stream = (rate: number, connections: number) => StreamOrder;

/** Of the programme `store`, to which all streams go. */
export const tokenPath = '/store/api/grant';

/** The streams by name; `verify` asks about the bearer's token, or without one is refused. */
export function streamsTo(
  { port, gatewayPort, adminPort }: Server,
  bearer?: string,
): Readonly<Record<'token' | 'wrong secret' | 'login' | 'verify' | 'health', Stream>> {
  const stream =
    (name: string, to: number, request: string): Stream =>
    (rate, connections) => ({ name, port: to, requests: [request], connections, rate });
  const proof = bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`];
  const wrong = basic(client.id, 'a secret that it never had');
  const login = `/store/auth/login?client_id=${client.id}&response_type=code`;
  return {
    token: stream('token', port, tokenRequest(tokenPath)),
    'wrong secret': stream('wrong secret', port, tokenRequest(tokenPath, wrong)),
    /** Each begins a login. */
    login: stream('login', port, get(login)),
    verify: stream('verify', gatewayPort, get('/store/verify/client', ...proof)),
    health: stream('health', adminPort, get('/livez')),
  };
}
