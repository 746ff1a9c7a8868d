// Owns token requests in a stream: callers on connections of their own, each asking again as soon as
// it is answered.

import { setTimeout as sleep } from 'node:timers/promises';

import { type Answered, openSender, type Sender } from '../../scripts/load/connection.ts';
import { tokenRequest } from '../../scripts/load/requests.ts';
import { paths } from '../support/club.ts';
import type { ServedClub } from './site.ts';

/** What became of the requests of a stream. */
export interface Told {
  /** Access tokens that were answered. */
  readonly tokens: string[];
  /** Statuses other than 200, and codes of errors, of each request that got no token. */
  readonly failures: string[];
  /** Of the answers that are no success: `Retry-After` and body, each once. */
  readonly refusals: Set<string>;
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
  const told: Told = { tokens: [], failures: [], refusals: new Set(), lastAnswers: 0 };
  const stopping = new AbortController();
  const port = Number(new URL(club.url).port);
  const request = tokenRequest(
    paths.grant,
    club.client.basic,
    keepAlive ? {} : { Connection: 'close' },
  );
  const call = async (): Promise<void> => {
    let kept: Sender | undefined;
    while (!stopping.signal.aborted) {
      // What the server has closed meanwhile is not used again.
      const used = kept?.isClosed() === true ? undefined : kept;
      try {
        kept = used ?? (await openSender(port));
        const isLast = note(told, await kept.send(request));
        if (isLast) kept = close(kept);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        told.failures.push(
          `${code ?? message}${used === undefined ? '' : ' on a kept connection'}`,
        );
        break;
      }
      if (pause !== undefined) await sleep(pause);
    }
    close(kept);
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

function close(sender: Sender | undefined): undefined {
  sender?.close();
}

/** Whether the answer is its connection's last. */
function note(told: Told, { status, head, body }: Answered): boolean {
  const header = (name: string): string | undefined =>
    new RegExp(`\r\n${name}: (.*)\r\n`, 'i').exec(head)?.[1];
  if (status === '200') {
    told.tokens.push((JSON.parse(body) as { readonly access_token: string }).access_token);
  } else {
    told.failures.push(status);
    told.refusals.add(`${header('retry-after')} ${body}`);
  }
  const isLast = header('connection') === 'close';
  if (isLast) told.lastAnswers += 1;
  return isLast;
}
