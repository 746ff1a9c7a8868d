// Owns the campaign's traffic: client_credentials at some programmes in turn.

import { type Connection, openConnection } from '../bench/connection.ts';
import type { Serving } from './serving.ts';
import type { Site, SiteProgramme } from './site.ts';

const connections = 16;
const body = 'grant_type=client_credentials';

/** The result of a period of traffic. */
export interface Traffic {
  readonly perSecond: number;
  /** Microseconds of the server's CPU time for each request. */
  readonly cpu: number;
}

/** Sends requests to a site's programmes for a while; rejects on any answer but 200. */
export async function putLoad(
  { port, cpu }: Serving,
  { authorization }: Site,
  programmes: readonly SiteProgramme[],
  seconds: number,
): Promise<Traffic> {
  const requests = programmes.map(({ tokenPath }) => requestTo(port, tokenPath, authorization));
  const opened: Connection[] = [];
  const cpuBefore = cpu();
  const begun = performance.now();
  const endsAt = begun + seconds * 1000;
  let sent = 0;
  let answered = 0;
  try {
    const lanes = Array.from({ length: connections }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      return { promise, resolve, reject };
    });
    for (const { resolve, reject } of lanes) {
      const next = (): void => {
        if (performance.now() >= endsAt) return resolve();
        connection.send(requests[sent % requests.length] ?? '');
        sent += 1;
      };
      const connection = await openConnection(port, {
        answered: (status, text) => {
          answered += 1;
          if (status === '200') next();
          else reject(new Error(`answered ${status}: ${text.slice(0, 200)}`));
        },
        failed: reject,
      });
      opened.push(connection);
      next();
    }
    await Promise.all(lanes.map(({ promise }) => promise));
    return {
      perSecond: answered / ((performance.now() - begun) / 1000),
      cpu: (cpu() - cpuBefore) / answered,
    };
  } finally {
    for (const connection of opened) connection.close();
  }
}

function requestTo(port: number, path: string, authorization: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: ${authorization}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
