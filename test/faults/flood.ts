// Owns a flood of token requests: more connections than a server has time for, each of which asks again as
// soon as it is answered.

import { connect } from 'node:net';

import { paths } from '../support/club.ts';
import type { ServedClub } from './site.ts';

export interface Flood {
  /** Answers by status so far. */
  readonly told: ReadonlyMap<string, number>;
  /** Of the answers that are no success: `Retry-After` and body, each once. */
  readonly refusals: ReadonlySet<string>;
  readonly stop: () => void;
}

const connections = 1500;
const body = 'grant_type=client_credentials';

export function startFlood(club: ServedClub): Flood {
  const told = new Map<string, number>();
  const refusals = new Set<string>();
  const request = [
    `POST ${paths.grant} HTTP/1.1`,
    'Host: tokens.example',
    `Authorization: ${club.client.basic}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
  const { hostname, port } = new URL(club.url);
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setEncoding('latin1');
    // An answer is small, and comes in one piece.
    socket.on('data', (text: string) => {
      const status = text.slice(9, 12);
      told.set(status, (told.get(status) ?? 0) + 1);
      if (status >= '400') {
        const wait = /\r\nretry-after: (.*)\r\n/i.exec(text)?.[1];
        refusals.add(`${wait} ${text.slice(text.indexOf('\r\n\r\n') + 4)}`);
      }
      socket.write(request);
    });
    socket.on('error', ({ message }) => told.set(message, (told.get(message) ?? 0) + 1));
    return socket;
  });
  return {
    told,
    refusals,
    stop: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
