// Owns the load generator, a process: keeps its connections busy for a time and counts the answers.

import { answerParent } from './child.ts';
import { type Connection, openConnection } from './connection.ts';
import type { BodySource, Format } from './plan.ts';
import { quantiles } from './quantiles.ts';

export interface LoadOrder {
  /** The connections are spread over them. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly authorization: string;
  /** The form of the access tokens that answers hold. */
  readonly format: Format;
  readonly source: BodySource;
  readonly connections: number;
  /** Codes to use, tokens to send, or the refresh token with which each connection starts. */
  readonly values: readonly string[];
  /** A run ends after this time or number of requests, whichever comes first. */
  readonly seconds: number;
  readonly mostRequests: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the generator's own CPU time. */
  readonly cpu: number;
  /** The refresh tokens that codes or tokens of their own were exchanged for, once each. */
  readonly refreshTokens: readonly string[];
}

export interface LoadCommands {
  /** Connects and builds the requests. */
  readonly prepare: (order: LoadOrder) => Promise<void>;
  /** Sends the prepared requests. Rejects at the first answer that is not 200. */
  readonly run: (nothing: undefined) => Promise<LoadResult>;
}

/** One connection's state in a run. */
interface Lane {
  readonly index: number;
  connection?: Connection;
  sentAt: number;
  refreshToken: string | undefined;
}

/** Seconds that the last answers may take after the end of a run. */
const grace = 10;

class Run {
  readonly #order: LoadOrder;
  readonly #head: string;
  readonly #lanes: Lane[] = [];
  readonly #latencies: Float64Array;
  readonly #refreshTokens: string[] = [];
  #sent = 0;
  #answered = 0;
  #endsAt = 0;
  #settle: { readonly done: () => void; readonly failed: (error: Error) => void } | undefined;

  constructor(order: LoadOrder) {
    this.#order = order;
    this.#latencies = new Float64Array(order.mostRequests);
    this.#head = [
      `${order.source.kind === 'tokens' ? 'GET' : 'POST'} ${order.path} HTTP/1.1`,
      'Host: 127.0.0.1',
      ...(order.source.kind === 'tokens' ? ['Accept: */*', 'Authorization: Bearer '] : []),
    ].join('\r\n');
    if (order.source.kind === 'tokens') return;
    this.#head += [
      '',
      `Authorization: ${order.authorization}`,
      'Content-Type: application/x-www-form-urlencoded',
      'Accept: application/json',
      'Content-Length: ',
    ].join('\r\n');
  }

  async connect(): Promise<void> {
    const { ports, connections } = this.#order;
    for (let index = 0; index < connections; index += 1) {
      const lane: Lane = { index, sentAt: 0, refreshToken: this.#order.values[index] };
      const port = ports[index % ports.length] ?? 0;
      lane.connection = await openConnection(port, {
        answered: (status, body) => this.#answer(lane, status, body),
        failed: (error) => this.#settle?.failed(error),
      });
      this.#lanes.push(lane);
    }
  }

  async go(): Promise<LoadResult> {
    const { user, system } = process.cpuUsage();
    const begun = performance.now();
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#settle = { done: resolve, failed: reject };
        const late = (): void => reject(new Error('the server stopped answering'));
        timer = setTimeout(late, (this.#order.seconds + grace) * 1000);
        this.#endsAt = begun + this.#order.seconds * 1000;
        for (const lane of this.#lanes) this.#send(lane, begun);
      });
    } finally {
      clearTimeout(timer);
      this.close();
    }
    const seconds = (performance.now() - begun) / 1000;
    const after = process.cpuUsage();
    return {
      requests: this.#answered,
      seconds,
      ...quantiles(this.#latencies.subarray(0, this.#answered)),
      cpu: after.user + after.system - user - system,
      refreshTokens: this.#refreshTokens,
    };
  }

  close(): void {
    this.#settle = undefined;
    for (const { connection } of this.#lanes) connection?.close();
  }

  /** Sends a lane's next request, unless none is left or the time is over. */
  #send(lane: Lane, now: number): void {
    const request = now < this.#endsAt ? this.#nextRequest(lane) : undefined;
    if (request === undefined) {
      if (this.#answered === this.#sent) this.#settle?.done();
      return;
    }
    this.#sent += 1;
    lane.sentAt = performance.now();
    lane.connection?.send(request);
  }

  /** One string to the socket: bodies are ASCII, so their length is their size. */
  #nextRequest(lane: Lane): string | undefined {
    const { source, values, mostRequests } = this.#order;
    if (source.kind === 'tokens') {
      if (this.#sent >= mostRequests) return undefined;
      return `${this.#head}${values[this.#sent % values.length] ?? ''}\r\n\r\n`;
    }
    const body = this.#nextBody(lane);
    return body === undefined ? undefined : `${this.#head}${body.length}\r\n\r\n${body}`;
  }

  #nextBody(lane: Lane): string | undefined {
    const { source, values, mostRequests } = this.#order;
    if (this.#sent >= mostRequests) return undefined;
    if (source.kind === 'fixed') return source.body;
    if (source.kind === 'tokens') return undefined;
    const value = source.kind === 'codes' ? values[this.#sent] : lane.refreshToken;
    return value === undefined ? undefined : source.prefix + value;
  }

  /** Whether an answer with status 200 holds what was asked for. */
  #isRight(body: string): boolean {
    const { source, format } = this.#order;
    if (source.kind === 'tokens') return true;
    const token = memberOf(body, 'access_token') ?? '';
    const isJwt = token.startsWith('eyJ') && token.split('.').length === 3;
    if (token === '' || isJwt !== (format === 'ES256')) return false;
    return !usesCodes(source) || memberOf(body, 'refresh_token') !== undefined;
  }

  #answer(lane: Lane, status: string, body: string): void {
    const now = performance.now();
    this.#latencies[this.#answered] = now - lane.sentAt;
    this.#answered += 1;
    if (status !== '200' || !this.#isRight(body)) {
      this.#settle?.failed(new Error(`answered ${status} ${body.slice(0, 200)}`));
      return;
    }
    const refreshToken = memberOf(body, 'refresh_token');
    lane.refreshToken = refreshToken;
    if (this.#order.source.kind === 'codes' && refreshToken !== undefined) {
      this.#refreshTokens.push(refreshToken);
    }
    this.#send(lane, now);
  }
}

function usesCodes({ kind }: BodySource): boolean {
  return kind === 'codes' || kind === 'chain';
}

/** The text of a JSON answer's member, without parsing the rest. */
function memberOf(body: string, name: string): string | undefined {
  const opening = `"${name}":"`;
  const at = body.indexOf(opening);
  if (at < 0) return undefined;
  const from = at + opening.length;
  return body.slice(from, body.indexOf('"', from));
}

let prepared: Run | undefined;

answerParent<LoadCommands>({
  prepare: async (order) => {
    prepared?.close();
    prepared = new Run(order);
    await prepared.connect();
  },
  run: async () => {
    if (prepared === undefined) throw new Error('nothing is prepared');
    const run = prepared;
    prepared = undefined;
    return run.go();
  },
});
