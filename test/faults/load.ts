// Owns token requests in a stream: callers on connections of their own, each asking again as soon as
// it is answered.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { paths } from '../support/club.ts';
import type { ServedClub } from './site.ts';

/** What became of the requests of a stream. */
export interface Told {
  /** Access tokens that were answered. */
  readonly tokens: string[];
  /** Statuses other than 200, and codes of errors, of each request that got no token. */
  readonly failures: string[];
  /** How many answers announced the end of their connection. */
  lastAnswers: number;
}

export interface Load {
  readonly told: Told;
  /** Resolves once `count` tokens were answered. */
  readonly reach: (count: number) => Promise<void>;
  /** Stops after the requests under way. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts `callers` that ask for client tokens; each ends by itself when its connection fails.
 *
 * @param pause milliseconds from an answer to the next request
 * @param keepAlive whether a caller keeps its connection for the next request
 */
export function startLoad(
  club: ServedClub,
  callers: number,
  pause?: number,
  keepAlive = true,
): Load {
  const told: Told = { tokens: [], failures: [], lastAnswers: 0 };
  const stopping = new AbortController();
  const call = async (): Promise<void> => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!stopping.signal.aborted) {
      const isAnswered = await askOnce(club, agent, told);
      if (!isAnswered) break;
      if (pause !== undefined) await sleep(pause);
    }
    agent.destroy();
  };
  const ended = Promise.all(Array.from({ length: callers }, call));
  return {
    told,
    reach: async (count) => {
      while (told.tokens.length < count) {
        if (told.failures.length > 0) throw new Error(told.failures.join(', '));
        await sleep(5);
      }
    },
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** One request; false where the connection could not be had or broke. */
function askOnce(club: ServedClub, agent: Agent, told: Told): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = {
      authorization: club.client.basic,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const sent = request(`${club.url}${paths.grant}`, { method: 'POST', agent, headers });
    const fail = ({ code, message }: NodeJS.ErrnoException): void => {
      told.failures.push(`${code ?? message}${sent.reusedSocket ? ' on a kept connection' : ''}`);
      resolve(false);
    };
    sent.on('error', fail);
    sent.on('response', (incoming) => {
      let body = '';
      incoming.on('error', fail);
      incoming.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      incoming.on('end', () => {
        if (incoming.headers.connection === 'close') told.lastAnswers += 1;
        if (incoming.statusCode === 200) {
          told.tokens.push((JSON.parse(body) as { readonly access_token: string }).access_token);
        } else told.failures.push(String(incoming.statusCode));
        resolve(true);
      });
    });
    sent.end('grant_type=client_credentials');
  });
}
