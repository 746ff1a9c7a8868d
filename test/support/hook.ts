// Owns member directories behind a hook as tests meet them: the reference server of docs/, as
// airlines get it, and listeners that break the contract.

import { scryptSync } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { TestContext } from 'node:test';

import type { CallLimits } from '../../src/lib/calls/exchange.ts';
import { milliseconds } from '../../src/lib/clock.ts';
import { usualLimits } from '../../src/members/hook.ts';
import { listenHere } from './listen.ts';

export interface HookMember {
  readonly username: string;
  /** Salt and scrypt of it, both in hex. */
  readonly password: string;
  readonly subject: string;
  readonly active: boolean;
  readonly membership_number?: string;
  readonly level?: string;
}

interface ReferenceServer {
  readonly memberDirectory: (options: {
    readonly secrets: readonly string[];
    readonly members: readonly HookMember[];
    readonly now?: () => number;
  }) => RequestListener;
}

const path = '../../docs/member-directory-server.mjs';
const reference = (await import(path)) as ReferenceServer;
export const memberDirectory: ReferenceServer['memberDirectory'] = reference.memberDirectory;

export const hookSecret = 'a-secret-of-the-hook-0123456789abcdef';
export const password = 'correct horse battery staple';

let hashed: string | undefined;

/** Salt and scrypt of the password above; made once, by who needs it. */
function passwordHash(): string {
  hashed ??= `0a0b:${scryptSync(password, Buffer.from('0a0b', 'hex'), 32).toString('hex')}`;
  return hashed;
}

/** For tests of what is answered and not of how soon: no machine is so slow. */
export const patientLimits: CallLimits = {
  ...usualLimits,
  connect: milliseconds(60_000),
  total: milliseconds(120_000),
};

/** A member that the hook knows, with the password above. */
export function hookMember(username: string, more: Partial<HookMember> = {}): HookMember {
  return {
    username,
    password: passwordHash(),
    subject: `airline-${username}`,
    active: true,
    ...more,
  };
}

export interface RunningHook {
  /** Without trailing slash, as a programme file has it. */
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Bodies that were sent, in order. */
  readonly bodies: Readonly<Record<string, string | number | boolean | null>>[];
  readonly headers: IncomingMessage['headers'][];
  /** Connections made so far. */
  readonly connections: () => number;
  /** From now on this answers. */
  readonly become: (listener: RequestListener) => void;
  readonly close: () => void;
}

/** Listens until the test ends; what it is asked is kept. */
export async function startHook(
  t: TestContext,
  listener: RequestListener,
  tls?: ServerOptions,
): Promise<RunningHook> {
  const asked: string[] = [];
  const bodies: Record<string, string | number | boolean | null>[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let answering = listener;
  let connections = 0;
  const listen: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    headers.push(request.headers);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (text.startsWith('{')) bodies.push(JSON.parse(text) as (typeof bodies)[number]);
    });
    answering(request, response);
  };
  const server = tls === undefined ? createServer(listen) : createTlsServer(tls, listen);
  server.on(tls === undefined ? 'connection' : 'secureConnection', () => {
    connections += 1;
  });
  const address = await listenHere(t, server);
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${address}/hook`,
    asked,
    bodies,
    headers,
    connections: () => connections,
    become: (next) => {
      answering = next;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The reference server with its members; `now` is the time it believes. */
export function startReference(
  t: TestContext,
  {
    members = [hookMember('ann')],
    secrets = [hookSecret],
    now = Date.now,
    tls,
  }: {
    readonly members?: readonly HookMember[];
    readonly secrets?: readonly string[];
    readonly now?: () => number;
    readonly tls?: ServerOptions;
  } = {},
): Promise<RunningHook> {
  return startHook(t, memberDirectory({ secrets, members, now }), tls);
}

/** A listener that answers everything alike. */
export function answering(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };
}
