// Owns one HTTP exchange with another service: limits of time and size, and unusable replies. Its
// callers open the request and read the answer.

import type { ClientRequest, IncomingMessage } from 'node:http';

import { type Milliseconds, milliseconds } from '../clock.ts';

export interface CallLimits {
  readonly connect: Milliseconds;
  readonly total: Milliseconds;
  readonly bytes: number;
}

/** The message holds nothing that was sent or received. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** The failure concerns the whole service, not only this question. */
  readonly systemic: boolean;
  /** The HTTP status; undefined without a reply. */
  readonly status: number | undefined;

  constructor(message: string, systemic: boolean, status?: number) {
    super(message);
    this.systemic = systemic;
    this.status = status;
  }
}

export interface Call {
  /** Begins the request; it is ended here. */
  readonly open: () => ClientRequest;
  readonly body?: string;
  /** Why the answer's media type is not taken; undefined where it is. */
  readonly typeFault: (mediaType: string) => string | undefined;
}

/**
 * Resolves to the body of an answer with status 200. Rejects with `CallFailure` for anything else, at
 * the latest after `budget`. The question may be asked twice: it must change nothing there.
 */
export async function exchange(
  call: Call,
  limits: CallLimits,
  budget: Milliseconds = limits.total,
): Promise<Uint8Array> {
  const begun = performance.now();
  try {
    return await attempt(call, limits, budget);
  } catch (error) {
    // The service had closed the kept connection, which is no failure.
    if (!(error instanceof StaleConnection)) throw error;
    const left = milliseconds(Math.max(1, budget - (performance.now() - begun)));
    return attempt(call, limits, left);
  }
}

class StaleConnection extends CallFailure {}

function attempt(
  { open, body, typeFault }: Call,
  limits: CallLimits,
  budget: Milliseconds,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const sent = open();
    const fail = (failure: CallFailure): void => {
      inTime();
      reject(failure);
      sent.destroy();
    };
    const inTime = startDeadline(budget, () => {
      fail(new CallFailure(`no answer within ${Math.ceil(budget)} ms`, true));
    });
    sent.on('socket', (socket) => {
      if (!socket.connecting) return;
      const connected = startDeadline(limits.connect, () => {
        fail(new CallFailure(`no connection within ${limits.connect} ms`, true));
      });
      socket.once('connect', connected);
      socket.once('close', connected);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.message;
      const isStale = sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      const Failure = isStale ? StaleConnection : CallFailure;
      fail(new Failure(`no connection (${code})`, true));
    });
    sent.on('response', (answer) => {
      const failure = headFailure(answer, limits, typeFault);
      if (failure !== undefined) fail(failure);
      else readBody(answer, limits.bytes).then(resolve, fail).finally(inTime);
    });
    sent.end(body);
  });
}

/**
 * Calls `late` unless the returned function is called in time. Handles events that have already
 * arrived first: a busy event loop here is no fault of the service.
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
  limits: CallLimits,
  typeFault: Call['typeFault'],
): CallFailure | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    return new CallFailure(`status ${statusCode}: redirects are not followed`, false, statusCode);
  }
  if (statusCode !== 200) {
    const isSystemic = systemicStatuses.has(statusCode);
    return new CallFailure(`status ${statusCode}`, isSystemic, statusCode);
  }
  const fault = typeFault(headers['content-type'] ?? '');
  if (fault !== undefined) return new CallFailure(fault, false);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    return new CallFailure('the answer is compressed, which nobody asked for', false);
  }
  return Number(headers['content-length'] ?? 0) > limits.bytes ? tooLarge(limits.bytes) : undefined;
}

function tooLarge(bytes: number): CallFailure {
  return new CallFailure(`the answer is larger than ${bytes} bytes`, false);
}

/** Rejects with `CallFailure` alone. */
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
    throw error instanceof CallFailure ? error : new CallFailure('the answer broke off', true);
  }
  return Buffer.concat(chunks);
}
