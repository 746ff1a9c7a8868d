// Owns the load generator, a process: offers requests at a rate or as fast as they are answered, whatever
// becomes of them, and tells how each was answered.

import { setTimeout as sleep } from 'node:timers/promises';

import { type Quantiles, quantiles } from '../figures.ts';
import { type Child, answerParent, startChild } from './child.ts';
import { type Connection, openConnection } from './connection.ts';
import { form } from './requests.ts';

/** Requests of one kind. */
export interface StreamOrder {
  readonly name: string;
  readonly port: number;
  /** Raw requests. */
  readonly requests: readonly string[];
  /**
   * `turn`: one after the other, over and over. `once`: each of them once. `own`: each connection its
   * own, over and over.
   */
  readonly takes?: 'turn' | 'once' | 'own';
  /** After its own request each connection refreshes here with the token of its last answer. */
  readonly refreshesAt?: string;
  readonly connections: number;
  /** Requests a second; 0 for the next as soon as a connection is free. */
  readonly rate: number;
  /** The status of a good answer; any below 400 if left out. */
  readonly expects?: string;
  /** Whether the tokens of answers are told. */
  readonly keepsTokens?: boolean;
}

/** Milliseconds; zeros where nothing was answered so. */
export interface Times extends Quantiles {
  readonly count: number;
}

/** What an answer to a token request brought. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
}

export interface StreamResult {
  readonly name: string;
  /** Requests that were due. */
  readonly offered: number;
  /** Requests that were due while every connection still waited for an answer: never sent. */
  readonly unsent: number;
  /** Answered as expected. */
  readonly served: Times;
  /** Of these, before the end of what was ordered. */
  readonly inTime: number;
  /** Answered as too much, with `Retry-After`. */
  readonly refused: Times;
  /** Statuses of any other answer, and errors. */
  readonly others: readonly string[];
  readonly tokens: readonly Tokens[];
}

/** What was not answered as it should, in words. */
export function failuresIn(results: readonly StreamResult[]): readonly string[] {
  return results.flatMap(({ name, others, refused: { count } }) =>
    [...others, ...(count > 0 ? [`${count} refused`] : [])].map((one) => `${name}: ${one}`),
  );
}

interface LoadOrder {
  readonly streams: readonly StreamOrder[];
  readonly seconds: number;
}

export interface LoadResult {
  readonly results: readonly StreamResult[];
  /** Until the last answer; less than was ordered where every request was to be sent once. */
  readonly seconds: number;
}

export type Generator = Child<LoadOrder, LoadResult>;

/** Starts it on the second core, where processes can have one each. */
export function startGenerator(): Generator {
  return startChild(import.meta.url, 1);
}

/** Answers that may still come after the end of a run, in milliseconds. */
const grace = 3000;
/** Different kinds of other answers that are told. */
const mostOthers = 5;

interface Lane {
  readonly index: number;
  connection?: Connection;
  sentAt: number;
  refreshToken?: string | undefined;
}

class Stream {
  readonly #order: StreamOrder;
  readonly #lanes: Lane[] = [];
  readonly #free: Lane[] = [];
  readonly #served: number[] = [];
  readonly #refused: number[] = [];
  readonly #others = new Set<string>();
  readonly #tokens: Tokens[] = [];
  #offered = 0;
  #sent = 0;
  #unsent = 0;
  #inTime = 0;
  /** Once it has ended nothing more is sent. */
  isOver = false;

  constructor(order: StreamOrder) {
    this.#order = order;
  }

  async connect(): Promise<void> {
    for (let index = 0; index < this.#order.connections; index += 1) {
      const lane: Lane = { index, sentAt: 0 };
      lane.connection = await openConnection(this.#order.port, {
        answered: (status, body, head) => this.#answer(lane, status, body, head),
        failed: ({ message }) => this.#note(message),
      });
      this.#lanes.push(lane);
    }
    this.#free.push(...this.#lanes);
  }

  /** Sends what has become due since the last call. */
  advance(elapsed: number, now: number): void {
    const { rate } = this.#order;
    const due =
      rate === 0 ? this.#free.length : Math.floor((rate * elapsed) / 1000) - this.#offered;
    for (let left = due; left > 0 && !this.isSpent; left -= 1) {
      const lane = this.#free.pop();
      if (lane === undefined) {
        this.#unsent += left;
        this.#offered += left;
        return;
      }
      this.#send(lane, now);
    }
  }

  /** Whether it has a high rate, and a connection for its next request. */
  get isPressing(): boolean {
    return this.#order.rate > 1000 && this.#free.length > 0;
  }

  /** Whether nothing is left to send. */
  get isSpent(): boolean {
    return this.#order.takes === 'once' && this.#sent >= this.#order.requests.length;
  }

  get isQuiet(): boolean {
    return this.#free.length === this.#lanes.length;
  }

  finish(): StreamResult {
    for (const { connection } of this.#lanes) connection?.close();
    const waiting = this.#lanes.length - this.#free.length;
    if (waiting > 0) this.#note(`${waiting} without an answer`);
    return {
      name: this.#order.name,
      offered: this.#offered,
      unsent: this.#unsent,
      served: { count: this.#served.length, ...quantiles(this.#served) },
      inTime: this.#inTime,
      refused: { count: this.#refused.length, ...quantiles(this.#refused) },
      others: [...this.#others],
      tokens: this.#tokens,
    };
  }

  #send(lane: Lane, now: number): void {
    const { requests, takes, refreshesAt } = this.#order;
    const place = takes === 'own' ? lane.index : this.#sent;
    const body = `grant_type=refresh_token&refresh_token=${lane.refreshToken}`;
    const isChained = refreshesAt !== undefined && lane.refreshToken !== undefined;
    lane.sentAt = now;
    this.#offered += 1;
    this.#sent += 1;
    lane.connection?.send(
      isChained ? form(refreshesAt, body) : (requests[place % requests.length] ?? ''),
    );
  }

  #answer(lane: Lane, status: string, body: string, head: string): void {
    const now = performance.now();
    const { expects, rate, refreshesAt, keepsTokens = false } = this.#order;
    if (expects === undefined ? status < '400' : status === expects) {
      this.#served.push(now - lane.sentAt);
      if (!this.isOver) this.#inTime += 1;
    } else if (/\r\nretry-after: [1-9]/i.test(head)) this.#refused.push(now - lane.sentAt);
    else this.#note(status);
    if (refreshesAt !== undefined || keepsTokens) {
      lane.refreshToken = memberOf(body, 'refresh_token');
      const access = memberOf(body, 'access_token') ?? '';
      if (keepsTokens) this.#tokens.push({ access, refresh: lane.refreshToken });
    }
    if (rate === 0 && !this.isOver && !this.isSpent) this.#send(lane, now);
    else this.#free.unshift(lane);
  }

  #note(what: string): void {
    if (this.#others.size < mostOthers) this.#others.add(what);
  }
}

/** The text of a JSON answer's member, without parsing the rest. */
function memberOf(body: string, name: string): string | undefined {
  const opening = `"${name}":"`;
  const at = body.indexOf(opening);
  if (at < 0) return undefined;
  const from = at + opening.length;
  return body.slice(from, body.indexOf('"', from));
}

async function offer({ streams: orders, seconds }: LoadOrder): Promise<LoadResult> {
  const streams = orders.map((order) => new Stream(order));
  await Promise.all(streams.map((stream) => stream.connect()));
  const begun = performance.now();
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now();
      const elapsed = now - begun;
      if (elapsed >= seconds * 1000 || streams.every(({ isSpent }) => isSpent)) {
        resolve();
        return;
      }
      for (const stream of streams) stream.advance(elapsed, now);
      // A timer, which comes once a millisecond, would send a high rate in bursts. To turn for want of a free
      // connection would push other programs of the machine to the server's core.
      if (streams.some(({ isPressing }) => isPressing)) setImmediate(tick);
      else setTimeout(tick, 1);
    };
    tick();
  });
  for (const stream of streams) stream.isOver = true;
  const patience = performance.now() + grace;
  while (streams.some(({ isQuiet }) => !isQuiet) && performance.now() < patience) await sleep(1);
  const spent = (performance.now() - begun) / 1000;
  return { results: streams.map((stream) => stream.finish()), seconds: spent };
}

if (import.meta.main) answerParent(offer);
