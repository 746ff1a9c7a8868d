// Owns the audit stream of a server: events wait in memory, in bounds, until they are appended in a batch,
// beside requests; and what becomes of requests where that cannot be (FAULTS 27).

import { joined } from '../lib/heap/flat_text.ts';
import type { Entry } from './chain.ts';
import { type EventName, eventText, type Facts } from './event.ts';
import { isTurnOfOther, Trail, type TrailOptions } from './trail.ts';

/** Where events cannot be kept: requests are refused, or events are dropped and counted. */
export const failurePolicies = ['refuse', 'drop'] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

export interface StreamOptions extends TrailOptions {
  readonly onFailure: FailurePolicy;
  /** Told once when events cannot be written, and once (with undefined) when they can again. */
  readonly tell: (trouble: string | undefined) => void;
  readonly bounds?: Bounds;
}

/** Milliseconds for which events wait for others: a batch costs as much as several lines. */
const gathering = 10;
/** Milliseconds until a failed append is tried again. */
const retryAfter = 500;
/** Milliseconds within which appended lines are on the disk. */
const syncInterval = 1000;
/** Characters of one batch: its lines are made at a stretch, in a millisecond or two. */
const mostAtOnce = 256 * 1024;
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
 * `resting`: nothing waits. `gathering`: events wait for others, or for other writers. `writing`: some of
 * them are being appended. `failing`: that could not be done, and is tried again soon.
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
  /** When the oldest waiting event came, by the monotonic clock. */
  #since = 0;
  #patience: NodeJS.Timeout | undefined;
  #trail: Trail | undefined;
  /** Since when another writer has the turn, by the monotonic clock. */
  #lockedSince: number | undefined;
  /** The append or sync under way, and those that wait for it. */
  #work: Promise<unknown> = Promise.resolve();
  #isWorking = false;
  #syncing: NodeJS.Timeout | undefined;
  #trouble: string | undefined;
  /** More waits than may, or for longer (FAULTS 27). */
  #isOverdue = false;
  #lost = 0;
  #lostSince = '';
  #newest: Entry | undefined;
  /** How many events were taken so far, and how many of them are appended. */
  #taken = 0;
  #appended = 0;
  readonly #flushes: { upTo: number; readonly done: () => void }[] = [];

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
    this.#waiting.push(joined(text));
    this.#taken += 1;
    this.#characters += text.length;
    if (this.#characters > this.#bounds.characters) this.#judge();
    if (this.#state === 'resting') this.#enter('gathering', gathering);
  }

  /** Resolves once what was put is appended, or to false after some milliseconds in which it was not. */
  async flush(limit: number): Promise<boolean> {
    if (this.#waiting.length === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), limit);
    this.#flushes.push({ upTo: this.#taken, done: () => resolve(true) });
    if (this.#state !== 'writing') void this.#write();
    const isDone = await promise;
    clearTimeout(timer);
    return isDone;
  }

  /** Resolves to the newest line once it is on the disk; to undefined where it is not in time. */
  async sync(limit: number): Promise<Entry | undefined> {
    const until = performance.now() + limit;
    const isDone = await this.flush(limit);
    if (!isDone) return undefined;
    const { promise, resolve } = Promise.withResolvers<Entry | undefined>();
    const timer = setTimeout(() => resolve(undefined), until - performance.now());
    void this.#sync().then(resolve);
    const synced = await promise;
    clearTimeout(timer);
    return synced;
  }

  /** Resolves to the number of events that were not appended within the limit. */
  async end(limit: number): Promise<number> {
    await this.sync(limit);
    this.#enter('ended');
    clearTimeout(this.#patience);
    clearTimeout(this.#syncing);
    // What waits for a disk has its file until the process ends.
    if (!this.#isWorking) this.#close();
    return this.#waiting.length + this.#lost;
  }

  /** @param delay milliseconds until the next write; none if left out */
  #enter(state: State, delay?: number): void {
    clearTimeout(this.#timer);
    this.#state = state;
    if (delay !== undefined) this.#timer = setTimeout(() => void this.#write(), delay);
  }

  async #write(): Promise<void> {
    this.#enter('writing');
    this.#patience ??= setTimeout(() => this.#judge(), this.#bounds.milliseconds).unref();
    const batch = this.#waiting.slice(0, this.#countOfBatch());
    try {
      await this.#alone(async () => {
        // Other writers are waited for by trying again.
        this.#trail ??= new Trail({ ...this.#options, patience: 0, known: this.#newest });
        await this.#trail.appendBeside(batch);
        this.#newest = this.#trail.newest;
      });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#succeed(batch);
  }

  /** Resolves to the newest line once it is on the disk; to undefined where it is not. */
  #sync(): Promise<Entry | undefined> {
    clearTimeout(this.#syncing);
    this.#syncing = undefined;
    return this.#alone(async () => {
      const newest = this.#trail?.newest;
      try {
        await this.#trail?.syncBeside();
        return newest;
      } catch {
        // The disk failed. The next append tells of it, if it is not over.
        this.#close();
        return undefined;
      }
    });
  }

  /** Does one thing with the file after another. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(async () => {
      this.#isWorking = true;
      try {
        return await work();
      } finally {
        this.#isWorking = false;
      }
    });
    this.#work = done.catch(() => undefined);
    return done;
  }

  #close(): void {
    this.#trail?.close();
    this.#trail = undefined;
  }

  /** How many of the waiting events are one batch. */
  #countOfBatch(): number {
    if (this.#characters <= mostAtOnce) return this.#waiting.length;
    let characters = 0;
    const last = this.#waiting.findIndex(({ length }) => (characters += length) > mostAtOnce);
    return Math.max(1, last);
  }

  #succeed(batch: readonly string[]): void {
    this.#waiting.splice(0, batch.length);
    for (const { length } of batch) this.#characters -= length;
    this.#appended += batch.length;
    this.#since = performance.now();
    this.#lockedSince = undefined;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (this.#state === 'ended') return;
    this.#syncing ??= setTimeout(() => void this.#sync(), syncInterval).unref();
    const { isBlocked: wasBlocked } = this;
    const asked = this.#taken;
    // Of what waits beyond the bound one batch is written after another: it is over once, with the last of them.
    this.#isOverdue &&= this.#characters > this.#bounds.characters;
    if (!this.#isOverdue) {
      this.#setTrouble(undefined);
      if (this.#lost > 0) {
        const events = this.#lost;
        this.#lost = 0;
        this.put('events_lost', { events, since: this.#lostSince });
      }
      if (wasBlocked) this.put('audit_resumed', {});
    }
    // Whoever waits, waits for these lines too.
    if (this.#taken > asked) for (const flush of this.#flushes) flush.upTo = this.#taken;
    while (this.#flushes[0] && this.#flushes[0].upTo <= this.#appended)
      this.#flushes.shift()?.done();
    const isHurried = this.#flushes.length > 0 || this.#characters > mostAtOnce;
    if (this.#waiting.length === 0) this.#enter('resting');
    else this.#enter('gathering', isHurried ? 0 : gathering);
  }

  #fail(error: unknown): void {
    if (this.#state === 'ended') return;
    const now = performance.now();
    if (isTurnOfOther(error) && now - (this.#lockedSince ??= now) < this.#options.patience) {
      this.#enter('gathering', gathering);
      return;
    }
    this.#setTrouble(error instanceof Error ? error.message : String(error));
    this.#judge();
    this.#enter('failing', retryAfter);
  }

  /** FAULTS 27: the buffer is bounded in size and time; beyond it the policy decides. */
  #judge(): void {
    const waited = performance.now() - this.#since;
    const { characters, milliseconds } = this.#bounds;
    this.#isOverdue = this.#characters > characters || waited >= milliseconds;
    if (!this.#isOverdue) return;
    const late = `nothing was written for ${Math.round(waited / 1000)} s`;
    const why = waited >= milliseconds ? late : 'events come faster than they are written';
    this.#setTrouble(this.#trouble ?? why);
  }

  #setTrouble(trouble: string | undefined): void {
    const isNews = (this.#trouble === undefined) !== (trouble === undefined);
    this.#trouble = trouble;
    if (isNews) this.#options.tell(trouble);
  }
}
