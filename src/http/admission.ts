// Owns the admission of requests: how much work a turn of the event loop begins, of which kind and whose,
// and which requests are refused before any work (FAULTS 23).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { reading } from '../lib/metrics/families.ts';
import { inTurn } from '../lib/turn.ts';
import { kinds, Line, type WorkKind } from './waiting_line.ts';

/**
 * Cost that a turn begins, while more waits: some ten milliseconds, in which no health is told, and enough
 * writes to share a slow commit.
 */
const turnCost = 256;
/** Requests of a kind that wait without being asked whose they are. */
const fewWaiting = 100;
/** Milliseconds that the oldest request of an address may have waited where one more is admitted. */
const longestWait = 8;
/** Cost that may wait of a kind: half a second of tokens. */
const mostWaiting = 10_000;

/** Looks for new connections between turns that leave work: each time node takes one a listener. */
const looks = 8;

/** Milliseconds by which a refused connection is read again before it was told to send again. */
const restMargin = 100;
/** Milliseconds between looks at the resting connections. */
const restCheck = 20;
/** Refused connections that are read again at a look, if the event loop was idle. */
const readAgain = 32;
/** The part of the time since the last look in which the event loop has to be idle for that. */
const idleShare = 0.2;
/** Longest `Retry-After`, in seconds; each so many refusals within a second lengthen it by one. */
const longestRetry = 5;
const refusalsASecond = 100;

interface Resting {
  readonly socket: Socket;
  /** Milliseconds of the admission's clock. */
  readonly until: number;
}

/**
 * Admits the requests of one event loop. Usually a turn begins all that it has read. Where that is more
 * than `turnCost`, the rest waits for the next turn: kinds share a turn by weight, and addresses take turns
 * within a kind. An address whose oldest request has waited too long is refused more, before a body is read.
 */
export class Admission {
  readonly #lines = new Map(kinds.map((kind) => [kind, new Line(kind)]));
  /** Refused connections that are not read until a time; those that were refused first come first. */
  #resting: Resting[] = [];
  #restTimer: NodeJS.Timeout | undefined;
  /** Of the event loop, at the last look at resting connections. */
  #used = performance.eventLoopUtilization();
  #isPlanned = false;
  #untold = 0;
  /** Refusals since a time. */
  #recent = { since: 0, count: 0 };
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * In whose name one more request of the kind may wait; undefined if none may.
   *
   * @param addressOf the caller's address; asked only while many wait
   */
  admits(kind: WorkKind, addressOf: () => string): string | undefined {
    const line = this.lineOf(kind);
    if (line.length < fewWaiting) return '';
    const address = addressOf();
    const oldest = line.oldestOf(address);
    if (oldest !== undefined && this.#now() - oldest > longestWait) return undefined;
    // Of many addresses each has room for its first, up to a bound for all.
    const most = oldest === undefined ? 2 * mostWaiting : mostWaiting;
    return line.cost < most ? address : undefined;
  }

  /** Begins the work of an admitted request in its turn; `work` must not throw. */
  begin(kind: WorkKind, work: () => void, address = ''): void {
    this.lineOf(kind).add(address, work, this.#now());
    this.#plan();
  }

  /**
   * Counts a request that is refused; its answer must be written next. The connection rests before it is
   * read again, or the server would do nothing but refuse. Whoever keeps to `Retry-After` does not notice.
   *
   * @param isShared whether other callers' requests may come on the connection: it rests a second at most
   * @returns seconds after which to try again: more while more is refused, and spread
   */
  refuse(
    kind: WorkKind,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    isShared = false,
  ): number {
    this.lineOf(kind).refusals.add();
    this.#untold += 1;
    const now = this.#now();
    if (now - this.#recent.since > 1000) this.#recent = { since: now, count: 0 };
    const most = Math.min(longestRetry, 1 + this.#recent.count / refusalsASecond);
    this.#recent.count += 1;
    const retryAfter = 1 + Math.floor(Math.random() * most);
    const rest = (isShared ? 1 : retryAfter) * 1000 - restMargin;
    // What is left of the body is not wanted.
    incoming.resume();
    const { socket } = incoming;
    outgoing.once('finish', () => {
      if (!outgoing.shouldKeepAlive || socket.destroyed) return;
      socket.pause();
      this.#resting.push({ socket, until: this.#now() + rest });
      if (this.#restTimer !== undefined) return;
      this.#used = performance.eventLoopUtilization();
      this.#restTimer = setInterval(() => this.#lookAtRests(), restCheck).unref();
    });
    return retryAfter;
  }

  /** Reads every refused connection again at once, for a server that stops. */
  endRests(): void {
    this.#endRests(() => true);
  }

  /** Requests refused since the last call. */
  takeRefused(): number {
    const refused = this.#untold;
    this.#untold = 0;
    return refused;
  }

  lineOf(kind: WorkKind): Line {
    const line = this.#lines.get(kind);
    if (line === undefined) throw new Error(`${kind} is no kind of work`);
    return line;
  }

  get #isWaiting(): boolean {
    return this.#lines.values().some(({ length }) => length > 0);
  }

  /** Plans a turn, once new connections were looked for so often. */
  #plan(left = 0): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#lookFirst(left);
  }

  #lookFirst(left: number): void {
    if (left > 0) setImmediate(() => this.#lookFirst(left - 1));
    else inTurn('requests', () => this.#turn());
  }

  #turn(): void {
    this.#isPlanned = false;
    const now = this.#now();
    // What work adds is for a later turn.
    const left = new Map([...this.#lines.values()].map((line) => [line, line.length]));
    for (let cost = 0; cost < turnCost && left.size > 0;) {
      for (const [line, waiting] of left) {
        const begun = line.begin(Math.min(waiting, line.plan.inTurn), now);
        cost += begun * line.plan.cost;
        if (begun === waiting) left.delete(line);
        else left.set(line, waiting - begun);
      }
    }
    if (this.#isWaiting) this.#plan(left.size > 0 ? looks : 0);
  }

  #lookAtRests(): void {
    const now = this.#now();
    // That no request waits now says nothing: the last turn began them all, and the next are still unread.
    const used = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(used, this.#used);
    this.#used = used;
    let more = utilization > 1 - idleShare ? 0 : readAgain;
    this.#endRests((until) => until <= now || more-- > 0);
    if (this.#resting.length > 0) return;
    clearInterval(this.#restTimer);
    this.#restTimer = undefined;
  }

  #endRests(isOver: (until: number) => boolean): void {
    const left: Resting[] = [];
    for (const one of this.#resting) {
      if (isOver(one.until)) one.socket.resume();
      else left.push(one);
    }
    this.#resting = left;
  }
}

/** Of this process, which has one event loop for all its listeners. */
export const admission: Admission = new Admission();
reading(
  {
    name: 'jetway_queued_requests',
    help: 'Requests that wait for their turn, by kind of work.',
    type: 'gauge',
    across: 'sum',
    labels: ['kind'],
  },
  () => kinds.map((kind) => ({ labels: { kind }, value: admission.lineOf(kind).length })),
);
