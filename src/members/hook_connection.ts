// Owns the connection to a hook: TLS, who asks, and how long it is waited for. Its callers write the
// question and read the answer.

import { Agent as HttpAgent, type ClientRequest, request } from 'node:http';
import { Agent as HttpsAgent, request as requestOverTls } from 'node:https';

import { type CallLimits, exchange } from '../lib/calls/exchange.ts';
import { type Milliseconds, milliseconds } from '../lib/clock.ts';
import { present } from '../lib/present.ts';

/** The credentials of both sides; PEM texts. */
export interface HookCredentials {
  /** All valid HMAC secrets: two during a replacement, none if certificates authenticate. */
  readonly secrets: readonly string[];
  readonly certificate?: string;
  readonly key?: string;
  /** The only trusted authorities; if left out, node's defaults. */
  readonly authorities?: string;
}

export const usualLimits: CallLimits = {
  connect: milliseconds(300),
  total: milliseconds(1500),
  bytes: 16 * 1024,
};

export interface HookMessage {
  /** Path below the hook's URL: `verify`. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HookConnection {
  /**
   * Posts JSON and resolves to the body of a JSON answer with status 200. Rejects with
   * `CallFailure` for anything else, at the latest after `budget`.
   */
  readonly post: (message: HookMessage, budget?: Milliseconds) => Promise<Uint8Array>;
  readonly close: () => void;
}

type Open = (message: HookMessage) => ClientRequest;

/** Connects at the first question, and keeps connections for the next ones. */
export function openHookConnection(
  url: string,
  credentials: HookCredentials,
  limits: CallLimits = usualLimits,
): HookConnection {
  const base = new URL(url);
  const isSecure = base.protocol === 'https:';
  const kept = { keepAlive: true, maxFreeSockets: 8, timeout: 30_000 };
  const { certificate, key, authorities } = credentials;
  const agent = isSecure
    ? new HttpsAgent({
        ...kept,
        minVersion: 'TLSv1.2',
        // Also where NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
        rejectUnauthorized: true,
        ...present({ cert: certificate, key, ca: authorities }),
      })
    : new HttpAgent(kept);
  const open: Open = ({ path, body, headers }) => {
    const options = {
      method: 'POST',
      agent,
      maxHeaderSize: limits.bytes,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Accept: 'application/json',
        'User-Agent': 'Jetway',
        ...headers,
      },
    };
    const target = new URL(`${base.pathname.replace(/\/$/, '')}/${path}`, base);
    return isSecure ? requestOverTls(target, options) : request(target, options);
  };
  return {
    post: (message, budget) =>
      exchange({ open: () => open(message), body: message.body, typeFault }, limits, budget),
    close: () => agent.destroy(),
  };
}

/** Parameters do not matter (RFC 8259 11), but for another charset, by which a text would be another one. */
function typeFault(mediaType: string): string | undefined {
  const [type, ...parameters] = mediaType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return 'the answer is not application/json';
  const others = parameters.filter((one) => one.startsWith('charset'));
  return others.every((one) => /^charset="?(?:utf-8|us-ascii)"?$/.test(one))
    ? undefined
    : 'the answer is in another charset than utf-8';
}
