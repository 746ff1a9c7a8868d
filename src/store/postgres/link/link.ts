// Owns the way to the database: a few connections to its primary, the line of statements that wait for
// one, and what they are told while there is none.

import { type Milliseconds, milliseconds } from '../../../lib/clock.ts';
import { Unavailable } from '../../../oauth/failure.ts';
import type { Connection } from './connection.ts';
import type { Cluster, Patience, Primary } from './primary.ts';
import {
  mayPass,
  OutcomeUnknown,
  type Parameter,
  readOnly,
  Refused,
  type Rows,
  type Statement,
} from './statement.ts';

export interface LinkOptions {
  /** Connections at most. */
  readonly connections: number;
  readonly patience: Patience;
  /** Milliseconds from its arrival after which a statement is refused, or its connection is ended. */
  readonly span: Milliseconds;
  /** Why nothing may be answered by now, whatever the database says; asked before and after a statement. */
  readonly guard?: () => Unavailable | undefined;
}

/** For requests: an outage is told within two seconds (FAULTS 13). */
export const forRequests: Omit<LinkOptions, 'connections'> = {
  patience: { statement: milliseconds(1200), lock: milliseconds(1000) },
  span: milliseconds(1500),
};

/** For commands and upkeep, whose statements may be large. */
export const forCare: LinkOptions = {
  connections: 1,
  patience: { statement: milliseconds(60_000), lock: milliseconds(5000) },
  span: milliseconds(60_000),
};

/** Statements that may wait; more can only wait for a database that does not answer. */
const longestLine = 10_000;
/** Milliseconds between two tries to find the primary. */
const retryAfter = milliseconds(250);
/** Milliseconds without any connection after which statements are refused at once. */
const breakAfter = milliseconds(1500);

interface Job {
  readonly statement: Statement;
  readonly values: readonly Parameter[];
  /** By `performance.now`. */
  readonly until: number;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs statements on whichever connection is free; opens connections when they are needed. */
export class Link {
  readonly #primary: Primary;
  readonly #options: LinkOptions;
  readonly #waiting: Job[] = [];
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  #dials = 0;
  /** Statements under way that write. */
  #writes = 0;
  /** When the last dial began. */
  #dialedAt = Number.NEGATIVE_INFINITY;
  /** When the last connection was lost, or the first could not be had; undefined while there is one. */
  #lostAt: number | undefined;
  #trouble: Unavailable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended: Unavailable | undefined;

  constructor(options: LinkOptions, primary: Primary) {
    this.#options = options;
    this.#primary = primary;
  }

  get cluster(): Cluster | undefined {
    return this.#primary.cluster;
  }

  /** Why there is no connection; undefined where there is one, or none was needed yet. */
  get trouble(): Unavailable | undefined {
    return this.#trouble;
  }

  /** The time by `performance.now` up to which a statement that arrives now may take. */
  deadline(): number {
    return performance.now() + this.#options.span;
  }

  /**
   * Runs a statement. One that reads runs again where its connection was lost, until the deadline; one
   * that a lock or another transaction was in the way of does so too.
   * @throws Refused, OutcomeUnknown (statements that write alone), Unavailable: nothing was done
   */
  run(
    statement: Statement,
    values: readonly Parameter[],
    until: number = this.deadline(),
  ): Promise<Rows> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, values, until, resolve, reject });
      this.#pump();
    });
  }

  /**
   * Opens the first connection.
   * @throws Unavailable where no primary answers at once: whoever opens a store is told, and does not wait
   */
  async connect(): Promise<void> {
    await this.#dial();
    if (this.#open.size === 0 && this.#trouble !== undefined) throw this.#trouble;
  }

  /** Ends all connections; what is under way or waits is refused. */
  close(): void {
    this.#ended ??= new Unavailable('store: closed');
    clearInterval(this.#timer);
    for (const job of this.#waiting.splice(0)) job.reject(this.#ended);
    for (const connection of this.#open) connection.end();
  }

  #refusal(): Unavailable | undefined {
    if (this.#ended) return this.#ended;
    const refusal = this.#options.guard?.();
    if (refusal) return refusal;
    if (this.#waiting.length >= longestLine) return new Unavailable('store: too many verbs wait');
    return this.#isBroken ? this.#trouble : undefined;
  }

  get #isBroken(): boolean {
    return this.#lostAt !== undefined && performance.now() - this.#lostAt > breakAfter;
  }

  #pump(): void {
    for (;;) {
      const connection = this.#waiting.length > 0 ? this.#idle.pop() : undefined;
      if (connection === undefined) break;
      if (!connection.isOpen) continue;
      const job = this.#next();
      if (job === undefined) {
        this.#idle.push(connection);
        break;
      }
      void this.#serve(connection, job);
    }
    const needed = Math.min(this.#waiting.length, this.#options.connections - this.#open.size);
    while (this.#dials < needed && this.#trouble === undefined) void this.#dial();
    if (this.#waiting.length > 0) this.#watch();
  }

  /** One connection is left to those that read: commits may wait for a standby that is away. */
  #next(): Job | undefined {
    const mayWrite = this.#writes < Math.max(1, this.#options.connections - 1);
    const index = mayWrite ? 0 : this.#waiting.findIndex(({ statement }) => statement.isRead);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  async #serve(connection: Connection, job: Job): Promise<void> {
    const { statement, values, until } = job;
    const left = until - performance.now();
    if (!statement.isRead) this.#writes += 1;
    if (left <= 0) this.#refuse(job);
    else {
      try {
        const rows = await connection.run(statement, values, milliseconds(left));
        // A former primary may have answered; what it could commit stands all the same.
        const refusal = statement.isRead ? this.#options.guard?.() : undefined;
        if (refusal) job.reject(refusal);
        else job.resolve(rows);
      } catch (error) {
        // It was the primary once.
        if (error instanceof Refused && error.code === readOnly) connection.end();
        this.#fail(job, error);
      }
    }
    if (!statement.isRead) this.#writes -= 1;
    if (connection.isOpen) this.#idle.push(connection);
    this.#pump();
  }

  #fail(job: Job, error: unknown): void {
    const isTold = error instanceof OutcomeUnknown || error instanceof Refused;
    const isUndone = error instanceof Unavailable && !isTold;
    if (!isUndone && !mayPass(error)) return job.reject(error);
    if (performance.now() >= job.until || this.#ended) return job.reject(error);
    return void this.#waiting.unshift(job);
  }

  #refuse(job: Job): void {
    job.reject(this.#trouble ?? new Unavailable('store: PostgreSQL did not answer in time'));
  }

  /** One try; the next is made by the watch. */
  async #dial(): Promise<void> {
    this.#dials += 1;
    this.#dialedAt = performance.now();
    try {
      const connection = await this.#primary.dial(this.#options.patience, () => {
        this.#open.delete(connection);
        if (this.#open.size === 0) this.#lostAt ??= performance.now();
        this.#pump();
      });
      if (this.#ended) return connection.end();
      this.#open.add(connection);
      this.#idle.push(connection);
      this.#lostAt = undefined;
      this.#trouble = undefined;
    } catch (error) {
      if (this.#open.size === 0) {
        this.#lostAt ??= performance.now();
        this.#trouble = error as Unavailable;
        // Statements are refused from now on, so none that waits would have the server dialed again.
        if (this.#ended === undefined) this.#watch();
      }
    } finally {
      this.#dials -= 1;
    }
    this.#pump();
    return undefined;
  }

  /** While statements wait or no server answers: refuses those whose time is over (all, once broken), and dials again. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      const now = performance.now();
      const isBroken = this.#isBroken && this.#trouble !== undefined;
      const late = this.#waiting.filter(({ until }) => isBroken || until <= now);
      if (late.length > 0) {
        const left = this.#waiting.filter(({ until }) => !isBroken && until > now);
        this.#waiting.splice(0, this.#waiting.length, ...left);
        for (const job of late) this.#refuse(job);
      }
      const isPaused = this.#trouble !== undefined && now - this.#dialedAt < retryAfter;
      if (this.#dials === 0 && !isPaused && this.#open.size < this.#options.connections) {
        if (this.#trouble !== undefined || this.#waiting.length > 0) void this.#dial();
      }
      if (this.#waiting.length === 0 && this.#trouble === undefined) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }, retryAfter / 5);
  }
}
