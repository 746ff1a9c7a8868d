// Owns the load generator of the overload campaign, a process: offers requests at a rate, whatever
// becomes of them, and tells how each was answered.

import { answerParent } from '../bench/child.ts';
import { type Connection, openConnection } from '../bench/connection.ts';
import { quantiles } from '../bench/quantiles.ts';

/** Requests of one kind. */
export interface StreamOrder {
  readonly name: string;
  readonly port: number;
  /** Raw requests, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Requests a second; 0 for the next as soon as a connection is free. */
  readonly rate: number;
}

/** Milliseconds; zeros where nothing was answered so. */
export interface Times {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

export interface StreamResult {
  readonly name: string;
  /** Requests that were due. */
  readonly offered: number;
  /** Requests that were due while every connection still waited for an answer: never sent. */
  readonly unsent: number;
  /** Answered 2xx or 3xx. */
  readonly served: Times;
  /** Answered as too much, with `Retry-After`. */
  readonly refused: Times;
  /** Statuses of any other answer, and errors. */
  readonly others: readonly string[];
}

export interface LoadOrder {
  readonly streams: readonly StreamOrder[];
  readonly seconds: number;
}

export interface GeneratorCommands {
  readonly offer: (order: LoadOrder) => Promise<readonly StreamResult[]>;
}

/** Answers that may still come after the end of a run, in milliseconds. */
const grace = 3000;
/** Different kinds of other answers that are told. */
const mostOthers = 5;

interface Lane {
  readonly connection: Connection;
  sentAt: number;
}

class Stream {
  readonly #order: StreamOrder;
  readonly #lanes: Lane[] = [];
  readonly #free: Lane[] = [];
  readonly #served: number[] = [];
  readonly #refused: number[] = [];
  readonly #others = new Set<string>();
  #offered = 0;
  #unsent = 0;
  #isOver = false;

  constructor(order: StreamOrder) {
    this.#order = order;
  }

  async connect(): Promise<void> {
    for (let opened = 0; opened < this.#order.connections; opened += 1) {
      const lane: { connection?: Connection; sentAt: number } = { sentAt: 0 };
      lane.connection = await openConnection(this.#order.port, {
        answered: (status, _body, head) => this.#answer(lane as Lane, status, head),
        failed: ({ message }) => this.#note(message),
      });
      this.#lanes.push(lane as Lane);
    }
    this.#free.push(...this.#lanes);
  }

  /** Sends what has become due since the last call. */
  advance(elapsed: number, now: number): void {
    const { rate } = this.#order;
    const due =
      rate === 0 ? this.#free.length : Math.floor((rate * elapsed) / 1000) - this.#offered;
    for (let sent = 0; sent < due; sent += 1) {
      const lane = this.#free.pop();
      this.#offered += 1;
      if (lane === undefined) {
        this.#unsent += due - sent;
        this.#offered += due - sent - 1;
        return;
      }
      this.#send(lane, now);
    }
  }

  get isQuiet(): boolean {
    return this.#free.length === this.#lanes.length;
  }

  end(): void {
    this.#isOver = true;
  }

  finish(): StreamResult {
    for (const { connection } of this.#lanes) connection.close();
    const waiting = this.#lanes.length - this.#free.length;
    if (waiting > 0) this.#note(`${waiting} without an answer`);
    return {
      name: this.#order.name,
      offered: this.#offered,
      unsent: this.#unsent,
      served: timesOf(this.#served),
      refused: timesOf(this.#refused),
      others: [...this.#others],
    };
  }

  #send(lane: Lane, now: number): void {
    const { requests } = this.#order;
    lane.sentAt = now;
    lane.connection.send(requests[this.#offered % requests.length] ?? '');
  }

  #answer(lane: Lane, status: string, head: string): void {
    const now = performance.now();
    if (status < '400') this.#served.push(now - lane.sentAt);
    else if (/\r\nretry-after: [1-9]/i.test(head)) this.#refused.push(now - lane.sentAt);
    else this.#note(status);
    if (this.#order.rate === 0 && !this.#isOver) {
      this.#offered += 1;
      this.#send(lane, now);
    } else this.#free.unshift(lane);
  }

  #note(what: string): void {
    if (this.#others.size < mostOthers) this.#others.add(what);
  }
}

function timesOf(spent: readonly number[]): Times {
  if (spent.length === 0) return { count: 0, p50: 0, p99: 0 };
  return { count: spent.length, ...quantiles(spent) };
}

async function offer({ streams: orders, seconds }: LoadOrder): Promise<readonly StreamResult[]> {
  const streams = orders.map((order) => new Stream(order));
  await Promise.all(streams.map((stream) => stream.connect()));
  const begun = performance.now();
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now();
      const elapsed = now - begun;
      if (elapsed >= seconds * 1000) {
        resolve();
        return;
      }
      for (const stream of streams) stream.advance(elapsed, now);
      // Not a timer: it would send in bursts.
      setImmediate(tick);
    };
    tick();
  });
  for (const stream of streams) stream.end();
  const patience = performance.now() + grace;
  while (streams.some(({ isQuiet }) => !isQuiet) && performance.now() < patience) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  return streams.map((stream) => stream.finish());
}

answerParent<GeneratorCommands>({ offer });
