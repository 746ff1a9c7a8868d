// Owns the campaign's traffic: client_credentials at some programmes in turn.

import type { Child } from '../bench/child.ts';
import type { GeneratorCommands } from '../overload/generator.ts';
import { offerTo } from '../overload/offering.ts';
import { tokenRequest } from '../timing/door.ts';
import { client } from '../timing/site.ts';
import type { Serving } from './serving.ts';
import type { SiteProgramme } from './site.ts';

const connections = 16;

/** The result of a period of traffic. */
export interface Traffic {
  readonly perSecond: number;
  /** Microseconds of the server's CPU time for each request. */
  readonly cpu: number;
}

/** Sends requests to a site's programmes for a while; rejects on any answer but a good one. */
export async function putLoad(
  generator: Child<GeneratorCommands>,
  serving: Serving,
  programmes: readonly SiteProgramme[],
  seconds: number,
): Promise<Traffic> {
  const requests = programmes.map(({ tokenPath }) =>
    tokenRequest(tokenPath, client.id, client.secret),
  );
  const stream = { name: 'token', port: serving.port, requests, connections, rate: 0 };
  const { results, cpu } = await offerTo(generator, serving, [stream], seconds);
  const [
    { served, refused, others } = { served: { count: 0 }, refused: { count: 0 }, others: [] },
  ] = results;
  if (refused.count > 0 || others.length > 0) {
    throw new Error(`answered ${[...others, `${refused.count} refused`].join(', ')}`);
  }
  return { perSecond: served.count / seconds, cpu: cpu / served.count };
}
