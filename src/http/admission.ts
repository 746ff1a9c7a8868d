// Owns the admission of requests: how much work a turn of the event loop begins, of which kind, and which
// requests are refused before any work (FAULTS 23).

import type { IncomingMessage, ServerResponse } from 'node:http';

import { reading } from '../lib/metrics/families.ts';
import { inTurn } from '../lib/turn.ts';
import { RestingConnections } from './resting_connections.ts';
import { kinds, Line, plans, type WorkKind } from './waiting_line.ts';

/**
 * Cost that a turn begins, while more waits: some ten milliseconds, in which no health is told, and enough
 * writes to share a slow commit.
 */
const turnCost = 256;
/** Milliseconds that a request may have to wait in a burst. */
const burstWait = 500;
/** The same once requests have waited at the end of every turn for `burstTime` (CoDel, RFC 8289). */
const standingWait = 10;
const burstTime = 100;
/** Milliseconds without a wait after which a line may take a burst again. */
const calmTime = 1000;
/** Requests of a kind that may wait in any case. */
const leastRoom = 128;
/** Milliseconds for a cost of 1, until it has been measured. */
const usualPace = 0.05;
/** Milliseconds that any request takes: those refused by the dialect are no measure of the others. */
const leastPace = 0.02;
/** Weight of the latest turn in the measured pace. */
const smoothing = 0.25;
/** How much slower than the pace a turn is taken for: one in which the machine stood still tells little. */
const slowestTurn = 4;
/** Milliseconds after which a measured pace is forgotten: little work would never measure it again. */
const paceTime = 10_000;

/** Looks for new connections between turns that leave work: each time node takes one a listener. */
const looks = 8;

/** Refused connections that are read again for each cost of 1 that was begun. */
const readAgain = 0.1;
/** The same for a turn that leaves nothing waiting: its callers come again by themselves. */
const fewAgain = 32;
/** Milliseconds after which a refused connection is read again in any case: before any `Retry-After`. */
const longestRest = 900;
/** Milliseconds between looks at the resting connections while no request comes. */
const restCheck = 20;
/** Longest `Retry-After`, in seconds. */
const longestRetry = 5;

/**
 * Admits the requests of one event loop. Usually a turn begins all that it has read. Where that is more
 * than `turnCost`, the rest waits for the next turn, and the kinds share a turn by weight. A kind with more
 * waiting than can be begun within a time limit is refused more, before a body is read.
 */
export class Admission {
  readonly #lines = new Map(
    kinds.map((kind) => [kind, new Line(kind, burstWait / usualPace / plans[kind].cost)]),
  );
  readonly #resting = new RestingConnections();
  #restTimer: NodeJS.Timeout | undefined;
  #isPlanned = false;
  /** Whether no turn has begun anything since the last look at the resting connections. */
  #isIdle = true;
  /** Measured milliseconds for a cost of 1. */
  #pace = usualPace;
  #pacedAt = -Infinity;
  /** The last turn, if it left requests waiting. */
  #lastTurn: { readonly at: number; readonly cost: number } | undefined;
  #refused = 0;
  #untold = 0;
  /** Share of requests that were refused lately. */
  #pressure = 0;
  #readCredit = 0;
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether one more request of the kind may wait. */
  admits(kind: WorkKind): boolean {
    const line = this.lineOf(kind);
    if (line.length < line.room) return true;
    // What was measured long ago says nothing of this burst.
    const now = this.#now();
    if (now - line.waitedAt <= calmTime) return false;
    if (now - this.#pacedAt > paceTime) this.#pace = usualPace;
    return line.length < this.#roomFor(line, burstWait);
  }

  /** Begins the work of an admitted request in its turn; `work` must not throw. */
  begin(kind: WorkKind, work: () => void): void {
    this.lineOf(kind).add(work);
    this.#plan();
  }

  /** Seconds after which to try again: more while more is refused, and spread. */
  retryAfter(): number {
    const most = Math.min(longestRetry, 1 + longestRetry * this.#pressure);
    return 1 + Math.floor(Math.random() * most);
  }

  /**
   * Counts a request that is refused; its answer must be written next. The connection is read again only
   * as the server keeps up with its work, or it would do nothing but refuse. Whoever keeps to
   * `Retry-After` does not notice.
   */
  refuse(kind: WorkKind, incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.lineOf(kind).refusals.add();
    this.#refused += 1;
    this.#untold += 1;
    // What is left of the body is not wanted.
    incoming.resume();
    const { socket } = incoming;
    outgoing.once('finish', () => {
      if (!outgoing.shouldKeepAlive || socket.destroyed) return;
      this.#resting.add(socket, this.#now());
      this.#restTimer ??= setInterval(() => this.#lookAtRests(), restCheck).unref();
    });
  }

  /** Reads every refused connection again at once, for a server that stops. */
  endRests(): void {
    this.#resting.read();
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
    this.#isIdle = false;
    let cost = 0;
    for (const line of this.#lines.values()) cost += line.cost;
    if (cost > turnCost || this.#lastTurn !== undefined) this.#busyTurn(cost);
    else for (const line of this.#lines.values()) line.begin(Infinity);
  }

  #busyTurn(waiting: number): void {
    const now = this.#now();
    if (this.#lastTurn !== undefined) {
      const { at, cost } = this.#lastTurn;
      const pace = Math.min(Math.max(leastPace, (now - at) / cost), slowestTurn * this.#pace);
      this.#pace += (pace - this.#pace) * smoothing;
      this.#pacedAt = now;
    }
    const begun = this.#beginByShares();
    const isOver = begun >= waiting;
    this.#lastTurn = isOver ? undefined : { at: now, cost: begun };
    this.#measureRoom(now);
    const pressure = this.#refused / (this.#refused + begun);
    this.#pressure += (pressure - this.#pressure) * smoothing;
    this.#refused = 0;
    this.#readCredit += isOver ? fewAgain : begun * readAgain;
    this.#readCredit -= this.#resting.read(Math.floor(this.#readCredit));
    if (this.#resting.size === 0) this.#readCredit = 0;
    if (!isOver) this.#plan(looks);
  }

  /** Returns the cost of what it begins; a kind that leaves some of its part leaves it to the others. */
  #beginByShares(): number {
    let left = turnCost;
    let lines = this.#waitingLines();
    while (lines.length > 0) {
      const shares = sharesOf(lines);
      const part = ({ plan }: Line): number => (left * plan.share) / shares;
      const short = lines.filter((line) => line.cost <= part(line));
      const served = short.length > 0 ? short : lines;
      const parts = served.map((line) => Math.max(1, Math.floor(part(line) / line.plan.cost)));
      for (const [index, line] of served.entries()) {
        left -= line.begin(parts[index] ?? 0) * line.plan.cost;
      }
      if (served === lines) break;
      lines = lines.filter((line) => !short.includes(line));
    }
    return turnCost - left;
  }

  #waitingLines(): Line[] {
    return [...this.#lines.values()].filter(({ length }) => length > 0);
  }

  #measureRoom(now: number): void {
    const waiting = this.#waitingLines();
    for (const line of this.#lines.values()) {
      const isWaiting = waiting.includes(line);
      if (now - line.waitedAt > calmTime) line.standingSince = isWaiting ? now : undefined;
      if (isWaiting) line.waitedAt = now;
      const isStanding = now - (line.standingSince ?? now) > burstTime;
      line.room = this.#roomFor(line, isStanding ? standingWait : burstWait);
    }
  }

  /** How many requests of a kind are begun within so many milliseconds, beside the kinds that wait. */
  #roomFor(line: Line, wait: number): number {
    const { share, cost } = line.plan;
    const others = this.#waitingLines().filter((other) => other !== line);
    const part = share / (share + sharesOf(others));
    return Math.max(leastRoom, (wait / this.#pace / cost) * part);
  }

  #lookAtRests(): void {
    this.#resting.readBefore(this.#now() - longestRest);
    if (this.#lastTurn === undefined) this.#resting.read(this.#isIdle ? turnCost : fewAgain);
    this.#isIdle = true;
    if (this.#resting.size > 0) return;
    clearInterval(this.#restTimer);
    this.#restTimer = undefined;
  }
}

function sharesOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { plan }) => sum + plan.share, 0);
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
