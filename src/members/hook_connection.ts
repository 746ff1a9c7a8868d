// Owns one HTTP exchange with a hook: TLS, limits of time and size, and unusable replies. Its
// callers write the question and read the answer.

import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as requestOverTls } from 'node:https';

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

export interface HookLimits {
  readonly connect: Milliseconds;
  readonly total: Milliseconds;
  readonly bytes: number;
}

export const usualLimits: HookLimits = {
  connect: milliseconds(300),
  total: milliseconds(1500),
  bytes: 16 * 1024,
};

/** The message holds nothing that was sent or received. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
  /** The failure concerns the whole hook, not only this question. */
  readonly systemic: boolean;
  /** The HTTP status; undefined without a reply. */
  readonly status: number | undefined;

  constructor(message: string, systemic: boolean, status?: number) {
    super(message);
    this.systemic = systemic;
    this.status = status;
  }
}

export interface HookMessage {
  /** Path below the hook's URL: `verify`. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HookConnection {
  /**
   * Posts JSON and resolves to the body of a JSON answer with status 200. Rejects with
   * `HookFailure` for anything else, at the latest after `budget`.
   */
  readonly post: (message: HookMessage, budget?: Milliseconds) => Promise<Uint8Array>;
  readonly close: () => void;
}

type Open = (message: HookMessage) => ClientRequest;

/** Connects at the first question, and keeps connections for the next ones. */
export function openHookConnection(
  url: string,
  credentials: HookCredentials,
  limits: HookLimits = usualLimits,
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
    post: (message, budget = limits.total) => exchange(open, message, limits, budget),
    close: () => agent.destroy(),
  };
}

async function exchange(
  open: Open,
  message: HookMessage,
  limits: HookLimits,
  budget: Milliseconds,
): Promise<Uint8Array> {
  const begun = performance.now();
  try {
    return await attempt(open, message, limits, budget);
  } catch (error) {
    // The hook had closed the kept connection, which is no failure. The question is asked again,
    // since it changes nothing there.
    if (!(error instanceof StaleConnection)) throw error;
    const left = milliseconds(Math.max(1, budget - (performance.now() - begun)));
    return attempt(open, message, limits, left);
  }
}

class StaleConnection extends HookFailure {}

function attempt(
  open: Open,
  message: HookMessage,
  limits: HookLimits,
  budget: Milliseconds,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const sent = open(message);
    const fail = (failure: HookFailure): void => {
      inTime();
      reject(failure);
      sent.destroy();
    };
    const inTime = startDeadline(budget, () => {
      fail(new HookFailure(`no answer within ${Math.ceil(budget)} ms`, true));
    });
    sent.on('socket', (socket) => {
      if (!socket.connecting) return;
      const connected = startDeadline(limits.connect, () => {
        fail(new HookFailure(`no connection within ${limits.connect} ms`, true));
      });
      socket.once('connect', connected);
      socket.once('close', connected);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.message;
      const isStale = sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      const Failure = isStale ? StaleConnection : HookFailure;
      fail(new Failure(`no connection (${code})`, true));
    });
    sent.on('response', (answer) => {
      const failure = headFailure(answer, limits);
      if (failure !== undefined) fail(failure);
      else readBody(answer, limits.bytes).then(resolve, fail).finally(inTime);
    });
    sent.end(message.body);
  });
}

/**
 * Calls `late` unless the returned function is called in time. Handles events that have already
 * arrived first: a busy event loop here is no fault of the hook.
 */
function startDeadline(span: Milliseconds, late: () => void): () => void {
  let isOver = false;
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!isOver) late();
    });
  }, span);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Statuses that concern the server, not the question: too busy, or no backend. */
const systemicStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Why a reply is unusable, as far as its status and headers tell. */
function headFailure(
  { statusCode = 0, headers }: IncomingMessage,
  limits: HookLimits,
): HookFailure | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    return new HookFailure(`status ${statusCode}: redirects are not followed`, false, statusCode);
  }
  if (statusCode !== 200) {
    const isSystemic = systemicStatuses.has(statusCode);
    return new HookFailure(`status ${statusCode}`, isSystemic, statusCode);
  }
  const type = headers['content-type'] ?? '';
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type)) {
    return new HookFailure('the answer is not application/json', false);
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    return new HookFailure('the answer is compressed, which nobody asked for', false);
  }
  return Number(headers['content-length'] ?? 0) > limits.bytes ? tooLarge(limits.bytes) : undefined;
}

function tooLarge(bytes: number): HookFailure {
  return new HookFailure(`the answer is larger than ${bytes} bytes`, false);
}

/** Rejects with `HookFailure` alone. */
async function readBody(answer: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > mostBytes) throw tooLarge(mostBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof HookFailure ? error : new HookFailure('the answer broke off', true);
  }
  return Buffer.concat(chunks);
}
