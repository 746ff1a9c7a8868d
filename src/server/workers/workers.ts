// Owns the workers of a server as one: each is a server that reads its files itself. The first process
// starts each of them, again when it ends, and forwards to them what a server is asked.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Facts } from '../../audit/event.ts';
import { readConfig } from '../../config/config.ts';
import { readTls } from '../../config/tls.ts';
import type { Parts } from '../../http/admin.ts';
import { usualTimeLimits } from '../../http/server.ts';
import { instant } from '../../lib/clock.ts';
import { dateText } from '../../lib/duration.ts';
import { orFaults } from '../../lib/fault.ts';
import {
  counters,
  type Description,
  type Family,
  processFamilies,
} from '../../lib/metrics/families.ts';
import { type CommandError, failed } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import { watchProcess } from '../metrics/process.ts';
import { healthSeries } from '../metrics/server.ts';
import type { ReloadOptions, ReloadReport } from '../reload/report.ts';
import type { Asked, Listening, Start } from '../server.ts';
import { followed } from '../settings.ts';
import type { OnAway } from '../start_wait.ts';
import type { StatusView } from '../status.ts';
import type { WhyAnswer } from '../why/route.ts';
import { growing, mergeFamilies, readableFamily } from './merged_metrics.ts';
import { mergeParts, mergeReports, mergeStatus, mergeWhy } from './merged_views.ts';
import { type Args, type PlainFamily, plainFamily, type Result, type Verb } from './messages.ts';
import { WorkerProcess } from './worker_process.ts';

/** Milliseconds until a worker is started again that has ended; doubled with each end in a row. */
const firstPause = 100;
const longestPause = 30_000;
/** Milliseconds after which an end is none in a row. */
const steadyTime = 60_000;
/** Milliseconds that workers have to tell of themselves. */
const tellPatience = 3000;
/** Milliseconds that a worker has to close its store and its audit stream, and then to end. */
const endPatience = 10_000;
const exitPatience = 1000;
/** The same for the last lines of their logs. */
const logPatience = 1000;

const ends = counters(
  'jetway_worker_ends_total',
  'Worker processes that ended by themselves and were started again.',
)();
export const workersGauge: Description = {
  name: 'jetway_workers',
  help: 'Worker processes that answer requests.',
  type: 'gauge',
  labels: [],
};

export class Workers implements Asked {
  outcomes: Asked['outcomes'] = [];
  readonly #log: ServerLog;
  readonly #onAway: OnAway;
  readonly #began = Date.now();
  readonly #lost = Promise.withResolvers<CommandError>();
  /** Those that answer requests, by number. */
  readonly #members = new Map<number, WorkerProcess>();
  readonly #all = new Set<WorkerProcess>();
  /** Ends in a row, by number. */
  readonly #ends = new Map<number, number>();
  /** What each worker had counted when it was asked last, and what those had that have ended. */
  readonly #told = new Map<WorkerProcess, PlainFamily[]>();
  #counted: PlainFamily[] = [];
  /** What the next worker begins with: its configuration is that of those that run. */
  #start: Start;
  /** Workers that are being started. */
  #starting = 0;
  #reloads = 0;
  #isEnding = false;

  private constructor(start: Start, log: ServerLog, onAway: OnAway) {
    this.#start = start;
    this.#log = log;
    this.#onAway = onAway;
    watchProcess();
  }

  /** Starts the first worker, which opens the store: it finds out whether any can. Nothing listens yet. */
  static async open(start: Start, log: ServerLog, onAway: OnAway): Promise<Workers> {
    const workers = new Workers(start, log, onAway);
    const first = workers.#begin(1);
    workers.outcomes = await first.ask('open', workers.#workerStart());
    workers.#members.set(1, first);
    // A time is accepted once.
    workers.#start = { ...start, acceptClock: false };
    return workers;
  }

  /** Resolves when none serves and none can be started. */
  get lost(): Promise<CommandError> {
    return this.#lost.promise;
  }

  /** Starts the others once the first listens; from then on each is started again when it ends. */
  async start(): Promise<Listening> {
    const first = this.#first();
    const listening = await first.ask('start');
    this.#look(first);
    const others = Array.from({ length: this.#count - 1 }, (_, index) => index + 2);
    await Promise.all(others.map((number) => this.#add(number)));
    return listening;
  }

  /**
   * Each worker takes up what it can; the report names those that differ from the first.
   * @throws CommandError where none takes anything up, with the name of one
   */
  async reload(options: ReloadOptions, asked?: Facts): Promise<ReloadReport> {
    if (options.dryRun === true) return this.#first().askAwake('reload', options);
    this.#reloads += 1;
    const members = [...this.#members];
    const [[teller] = []] = members;
    const refusal = this.#follow();
    const reloads = members.map(async ([number, worker]) => {
      try {
        return await worker.askAwake('reload', options, number === teller ? asked : undefined);
      } catch (error) {
        const { message } = error as Error;
        throw failed(message.startsWith(worker.name) ? message : `${worker.name}: ${message}`);
      }
    });
    const settled = await Promise.allSettled(reloads);
    const reports = settled.map((one, index) => {
      const name = members[index]?.[1].name ?? '';
      return one.status === 'fulfilled'
        ? { name, report: one.value }
        : (one.reason as Error).message;
    });
    return mergeReports(reports, refusal);
  }

  async health(): Promise<Parts> {
    const told = await this.#tellings('health', []);
    for (const worker of this.#members.keys()) if (!told.has(worker)) told.set(worker, unanswered);
    return mergeParts(told, this.#count);
  }

  async metrics(): Promise<readonly Family[]> {
    const [parts, told] = await Promise.all([this.health(), this.#tellings('metrics', [])]);
    for (const [number, families] of told) {
      const worker = this.#members.get(number);
      if (worker !== undefined) this.#told.set(worker, growing(families));
    }
    const running: PlainFamily = { ...workersGauge, series: [{ value: this.#members.size }] };
    const own = [...processFamilies().map(plainFamily), running];
    const merged = mergeFamilies([...told.values(), this.#counted, own]);
    const health = healthSeries(parts);
    return merged.map((family) =>
      readableFamily(family.name === 'jetway_health' ? { ...family, series: health } : family),
    );
  }

  async status(): Promise<StatusView> {
    const [parts, views] = await Promise.all([this.health(), this.#tellings('status', [])]);
    const uptime = Math.round((Date.now() - this.#began) / 1000);
    const begun = { started: dateText(instant(this.#began)), uptime };
    const view = mergeStatus(views, parts, begun);
    if (view === undefined) throw failed('no worker answers');
    return view;
  }

  async why(query: string): Promise<WhyAnswer> {
    return mergeWhy([...(await this.#tellings('why', [query])).values()]);
  }

  /** The other workers follow, as other machines do. */
  async acceptClock(): Promise<void> {
    try {
      await this.#first().askAwake('acceptClock');
    } catch (error) {
      this.#log.error('clock_not_accepted', { detail: String(error) });
    }
  }

  async leave(): Promise<void> {
    this.#isEnding = true;
    await this.#tellings('leave', [], this.#start.config.stopDelay + tellPatience);
  }

  /** Waits for the workers' own ends, and for the last lines of their logs. */
  async stop(why: string): Promise<void> {
    this.#isEnding = true;
    await this.#tellings('stop', [why], usualTimeLimits.drainTime + endPatience);
    const late = (time: number): Promise<void> => sleep(time, undefined, { ref: false });
    const all = [...this.#all];
    await Promise.race([Promise.all(all.map(({ exited }) => exited)), late(exitPatience)]);
    for (const worker of this.#all) worker.kill();
    await Promise.race([Promise.all(all.map(({ closed }) => closed)), late(logPatience)]);
  }

  get #count(): number {
    return this.#start.config.workers;
  }

  /** The one that is asked alone. @throws CommandError where none serves */
  #first(): WorkerProcess {
    const [first] = this.#members.values();
    if (first === undefined) throw failed('no worker answers');
    return first;
  }

  /**
   * Reads the configuration for this process, which writes the log of all, and for workers to come. Its faults
   * are the workers' to tell. Returns why the log cannot be written as it says.
   */
  #follow(): string | undefined {
    const config = orFaults([], () => readConfig(this.#start.path));
    if (config === undefined) return undefined;
    const next = followed(this.#start.config, config);
    const refusal = this.#log.follow(next.log);
    const { log } = refusal === undefined ? next : this.#start.config;
    const tls = { ...this.#start.tls, ...readTls(next) };
    this.#start = { ...this.#start, config: { ...next, log }, tls };
    return refusal;
  }

  /**
   * What those workers tell that answer soon, by number.
   * @param patience milliseconds that they have
   */
  async #tellings<Name extends Verb>(
    verb: Name,
    args: Args<Name>,
    patience: number = tellPatience,
  ): Promise<Map<number, Result<Name>>> {
    const told = new Map<number, Result<Name>>();
    const ended = new AbortController();
    const asked = [...this.#members].map(async ([number, worker]) => {
      told.set(number, await worker.ask(verb, ...args));
    });
    const late = sleep(patience, undefined, ended).catch(() => undefined);
    await Promise.race([Promise.allSettled(asked), late]);
    ended.abort();
    return new Map([...told].toSorted(([one], [other]) => one - other));
  }

  #workerStart(): Args<'open'>[0] {
    return { ...this.#start, isTerminal: this.#log.isTerminal };
  }

  #begin(number: number): WorkerProcess {
    const worker = new WorkerProcess(number, this.#count, this.#log, this.#onAway);
    this.#all.add(worker);
    void worker.exited.then(() => this.#all.delete(worker));
    return worker;
  }

  /** Starts a worker; resolves once it listens. */
  async #add(number: number): Promise<void> {
    this.#starting += 1;
    const worker = this.#begin(number);
    const reloads = this.#reloads;
    try {
      await worker.ask('open', this.#workerStart());
      // From now on it is asked with the others, in turn.
      this.#members.set(number, worker);
      await worker.ask('start');
      // A reload that began before it was asked may have been of files that it had read before.
      if (reloads !== this.#reloads) await worker.ask('reload', {});
    } catch (error) {
      this.#members.delete(number);
      worker.kill();
      throw error;
    } finally {
      this.#starting -= 1;
    }
    this.#look(worker);
  }

  #look(worker: WorkerProcess): void {
    void worker.exited.then((error) => this.#replace(worker, error));
  }

  async #replace(worker: WorkerProcess, error: CommandError): Promise<void> {
    const { number } = worker;
    this.#members.delete(number);
    this.#counted = mergeFamilies([this.#counted, this.#told.get(worker) ?? []]);
    this.#told.delete(worker);
    if (this.#isEnding) return;
    ends.add();
    const isSteady = performance.now() - worker.begunAt > steadyTime;
    this.#ends.set(number, isSteady ? 1 : (this.#ends.get(number) ?? 0) + 1);
    this.#log.error('worker_ended', { worker: String(number), detail: error.message });
    // Node has closed the sockets with the last worker: who handed them down does so again.
    if (this.#members.size === 0 && this.#start.handed.size > 0) {
      this.#lost.resolve(error);
      return;
    }
    await this.#startAgain(number);
  }

  async #startAgain(number: number): Promise<void> {
    for (;;) {
      const inRow = this.#ends.get(number) ?? 1;
      const pause = Math.min(longestPause, firstPause * 2 ** (inRow - 1));
      await sleep(pause, undefined, { ref: false });
      if (this.#isEnding) return;
      try {
        await this.#add(number);
        this.#log.info('worker_started', { worker: String(number) });
        return;
      } catch (error) {
        if (this.#isEnding) return;
        const reason = error as CommandError;
        this.#log.error('worker_not_started', { worker: String(number), detail: reason.message });
        if (this.#members.size === 0 && this.#starting === 0) this.#lost.resolve(reason);
        this.#ends.set(number, inRow + 1);
      }
    }
  }
}

const unanswered: Parts = {
  server: { status: 'unready', reasons: ['its event loop stands still'] },
};
