// Owns the audit stream of a server: events wait in memory, in bounds, until the audit thread has
// appended them; and what becomes of requests where it cannot (FAULTS 27).

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

import { startThread } from '../lib/asset.ts';
import type { AuditOrder, AuditReport } from './audit_worker.ts';
import type { Entry } from './chain.ts';
import { type EventName, eventText, type Facts } from './event.ts';
import type { TrailOptions } from './trail.ts';

/** Where events cannot be kept: requests are refused, or events are dropped and counted. */
export const failurePolicies = ['refuse', 'drop'] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

export interface StreamOptions extends TrailOptions {
  readonly onFailure: FailurePolicy;
  /** Told once when events cannot be written, and once (with undefined) when they can again. */
  readonly tell: (trouble: string | undefined) => void;
  readonly bounds?: Bounds;
}

/** Milliseconds for which events wait for others, so that one append takes many. */
const gathering = 100;
/** Milliseconds until a failed append is tried again. */
const retryAfter = 500;
/** Characters of one order, so that a thread with little memory can obey it. */
const mostGiven = 1024 * 1024;
/** For an order and its lines. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 32 };
/** What may wait. */
interface Bounds {
  /** Of all events. */
  readonly characters: number;
  /** Of one event. */
  readonly milliseconds: number;
}

/** About 16,000 events. */
const usualBounds: Bounds = { characters: 4 * 1024 * 1024, milliseconds: 10_000 };

/**
 * `resting`: nothing waits. `gathering`: events wait for others, or for the rest of a long order.
 * `writing`: the thread has some of them. `failing`: it could not write them, and tries again soon.
 */
type State = 'resting' | 'gathering' | 'writing' | 'failing' | 'ended';

export class AuditStream {
  readonly #options: StreamOptions;
  readonly #bounds: Bounds;
  readonly #waiting: string[] = [];
  #state: State = 'resting';
  /** Begins the next write. */
  #timer: NodeJS.Timeout | undefined;
  #characters = 0;
  /** Of the waiting events, those that the thread has. */
  #given = 0;
  /** When the oldest waiting event came, by the monotonic clock. */
  #since = 0;
  #patience: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #trouble: string | undefined;
  /** More waits than may, or for longer (FAULTS 27). */
  #isOverdue = false;
  #lost = 0;
  #lostSince = '';
  #newest: Entry | undefined;
  readonly #settled: (() => void)[] = [];
  readonly #syncing: ((synced: Entry | undefined) => void)[] = [];

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? usualBounds;
    this.#newest = options.known;
  }

  /**
   * Whether requests that would be audited are to be refused unbegun. Those under way are audited: they
   * find room beyond the bound.
   */
  get isBlocked(): boolean {
    return this.#isOverdue && this.#options.onFailure === 'refuse';
  }

  /** Whether events are dropped at the moment. */
  get isDropping(): boolean {
    return this.#isOverdue && this.#options.onFailure === 'drop';
  }

  /** Why events cannot be written, while they cannot. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  put(event: EventName, facts: Facts): void {
    this.putText(eventText(event, facts));
  }

  /** @param text as `eventText` makes it */
  putText(text: string): void {
    // Requests that are under way when others begin to be refused find room.
    const isFull = this.#characters > 2 * this.#bounds.characters;
    if (isFull || this.isDropping) {
      if (this.#lost === 0) this.#lostSince = new Date().toISOString();
      this.#lost += 1;
      return;
    }
    if (this.#waiting.length === 0) this.#since = performance.now();
    // V8 joins the parts of a text when it is first read: kept in parts, thousands of waiting events cost
    // the garbage collector more than they cost to make.
    text.charCodeAt(0);
    this.#waiting.push(text);
    this.#characters += text.length;
    if (this.#characters > this.#bounds.characters) this.#judge();
    if (this.#state === 'resting') this.#enter('gathering', gathering);
  }

  /** Resolves once what was put is appended, or to false after some milliseconds in which it was not. */
  async flush(limit: number): Promise<boolean> {
    if (this.#waiting.length === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), limit);
    this.#settled.push(() => resolve(true));
    if (this.#state !== 'writing') this.#write();
    const isDone = await promise;
    clearTimeout(timer);
    return isDone;
  }

  /** Resolves to the newest line once it is on the disk; to undefined where it is not in time. */
  async sync(limit: number): Promise<Entry | undefined> {
    const isDone = await this.flush(limit);
    const worker = this.#worker;
    if (!isDone || worker === undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<Entry | undefined>();
    const timer = setTimeout(() => resolve(undefined), limit);
    this.#syncing.push(resolve);
    worker.postMessage('' satisfies AuditOrder, []);
    const synced = await promise;
    clearTimeout(timer);
    return synced;
  }

  /** Ends the thread; resolves to the number of events that were not appended within the limit. */
  async end(limit: number): Promise<number> {
    const until = performance.now() + limit;
    await this.sync(limit);
    this.#enter('ended');
    clearTimeout(this.#patience);
    const worker = this.#worker;
    this.#worker = undefined;
    const ended = new AbortController();
    const rest = sleep(Math.max(0, until - performance.now()), undefined, ended).catch(() => {});
    worker?.ref();
    // A thread that waits for a disk ends with its process at best.
    await Promise.race([worker?.terminate(), rest]);
    ended.abort();
    return this.#waiting.length + this.#lost;
  }

  /** @param delay milliseconds until the next write; none if left out */
  #enter(state: State, delay?: number): void {
    clearTimeout(this.#timer);
    this.#state = state;
    if (delay !== undefined) this.#timer = setTimeout(() => this.#write(), delay);
  }

  #write(): void {
    this.#enter('writing');
    try {
      this.#worker ??= this.#begin();
    } catch (error) {
      this.#fail(`the audit thread cannot start: ${String(error)}`);
      return;
    }
    this.#given = this.#countOfOrder();
    this.#patience ??= setTimeout(() => this.#judge(), this.#bounds.milliseconds).unref();
    const order: AuditOrder = this.#waiting.slice(0, this.#given).join('\n');
    this.#worker.postMessage(order, []);
  }

  /** How many of the waiting events are one order. */
  #countOfOrder(): number {
    if (this.#characters <= mostGiven) return this.#waiting.length;
    let characters = 0;
    const last = this.#waiting.findIndex(({ length }) => (characters += length) > mostGiven);
    return Math.max(1, last);
  }

  #begin(): Worker {
    const { path, key, patience } = this.#options;
    const workerData: TrailOptions = { path, key, patience, known: this.#newest };
    const worker = startThread('src/audit/audit_worker.ts', { workerData, resourceLimits });
    worker.on('message', (report: AuditReport) => {
      if (this.#worker !== worker) return;
      if ('trouble' in report) this.#fail(report.trouble);
      else if ('newest' in report) this.#succeed(report.newest);
      else for (const resolve of this.#syncing.splice(0)) resolve(report.synced);
    });
    // 'exit' follows. Without a listener the error would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      if (this.#state === 'writing') this.#fail('the audit thread has ended');
    });
    worker.unref();
    return worker;
  }

  #succeed(newest: Entry | undefined): void {
    this.#newest = newest;
    for (const { length } of this.#waiting.splice(0, this.#given)) this.#characters -= length;
    this.#since = performance.now();
    clearTimeout(this.#patience);
    this.#patience = undefined;
    const wasBlocked = this.isBlocked;
    this.#isOverdue = false;
    this.#setTrouble(undefined);
    if (this.#lost > 0) {
      const events = this.#lost;
      this.#lost = 0;
      this.put('events_lost', { events, since: this.#lostSince });
    }
    if (wasBlocked) this.put('audit_resumed', {});
    if (this.#waiting.length > 0) {
      this.#enter('gathering', this.#characters > mostGiven ? 0 : gathering);
    } else {
      this.#enter('resting');
      for (const settle of this.#settled.splice(0)) settle();
    }
  }

  #fail(trouble: string): void {
    this.#setTrouble(trouble);
    this.#judge();
    this.#enter('failing', retryAfter);
  }

  /** FAULTS 27: the buffer is bounded in size and time; beyond it the policy decides. */
  #judge(): void {
    const waited = performance.now() - this.#since;
    const { characters, milliseconds } = this.#bounds;
    this.#isOverdue = this.#characters > characters || waited >= milliseconds;
    if (!this.#isOverdue) return;
    this.#setTrouble(this.#trouble ?? `nothing was written for ${Math.round(waited / 1000)} s`);
  }

  #setTrouble(trouble: string | undefined): void {
    const isNews = (this.#trouble === undefined) !== (trouble === undefined);
    this.#trouble = trouble;
    if (isNews) this.#options.tell(trouble);
  }
}
