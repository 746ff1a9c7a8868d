// Owns the worker processes of a server: starting each, again when it ends, and asking them together.

import { setTimeout as sleep } from 'node:timers/promises';

import { counters, gauge } from '../../lib/metrics/families.ts';
import type { Opened } from '../answering.ts';
import { type CommandError, failed } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import type { Verb, WorkerVerbs } from './messages.ts';
import type { Provisions } from './provisions.ts';
import { WorkerProcess } from './worker_process.ts';

/** Milliseconds until a worker is started again that has ended; doubled with each end in a row. */
const firstPause = 100;
const longestPause = 30_000;
/** Milliseconds after which an end is none in a row. */
const steadyTime = 60_000;
/** Milliseconds that workers have to tell of themselves. */
export const tellPatience = 3000;
/** The same for the last lines of their logs. */
const logPatience = 1000;

const ends = counters(
  'jetway_worker_ends_total',
  'Worker processes that ended by themselves and were started again.',
)();
let serving = (): number => 0;
gauge('jetway_workers', 'Worker processes that answer requests.', () => serving());

type Args<Name extends Verb> = Parameters<WorkerVerbs[Name]>;
type Result<Name extends Verb> = Awaited<ReturnType<WorkerVerbs[Name]>>;

export class Crew {
  readonly #workers: number;
  readonly #log: ServerLog;
  readonly #provisions: Provisions;
  readonly #gone: (worker: WorkerProcess) => void;
  /** Those that answer requests, by number. */
  readonly #members = new Map<number, WorkerProcess>();
  readonly #all = new Set<WorkerProcess>();
  readonly #lost = Promise.withResolvers<CommandError>();
  /** Ends in a row, by number. */
  readonly #ends = new Map<number, number>();
  /** Workers that are being started. */
  #starting = 0;
  /** While workers take something up: none is added. */
  #hold: PromiseWithResolvers<void> | undefined;
  #isEnding = false;

  /** @param gone called with each worker that served and has ended */
  constructor(
    workers: number,
    provisions: Provisions,
    log: ServerLog,
    gone: (worker: WorkerProcess) => void,
  ) {
    this.#workers = workers;
    this.#log = log;
    this.#provisions = provisions;
    this.#gone = gone;
    serving = () => this.#members.size;
  }

  /** Resolves when none serves and none can be started. */
  get lost(): Promise<CommandError> {
    return this.#lost.promise;
  }

  /** By number. */
  get members(): ReadonlyMap<number, WorkerProcess> {
    return this.#members;
  }

  /** The one that is asked alone. @throws CommandError where none serves */
  first(): WorkerProcess {
    const [first] = this.#members.values();
    if (first === undefined) throw failed('no worker answers');
    return first;
  }

  /** Starts the first worker, which does not listen yet. */
  async open(): Promise<Opened['outcomes']> {
    const first = this.#begin(1);
    const outcomes = await first.ask('open', this.#start());
    this.#members.set(1, first);
    return outcomes;
  }

  /** Starts the others, once the first listens; from then on each is started again when it ends. */
  async fill(): Promise<void> {
    this.#look(this.first());
    const others = Array.from({ length: this.#workers - 1 }, (_, index) => index + 2);
    await Promise.all(others.map((number) => this.#add(number)));
  }

  /** Asks all workers; rejects with the name of the first that cannot answer. */
  everyone<Name extends Verb>(verb: Name, ...args: Args<Name>): Promise<Result<Name>[]> {
    return Promise.all(
      [...this.#members].map(async ([number, worker]) => {
        try {
          return await worker.ask(verb, ...args);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          throw failed(`worker ${number} (process ${worker.pid}): ${reason}`);
        }
      }),
    );
  }

  /**
   * What those workers tell that answer soon, by number.
   * @param patience milliseconds that they have
   */
  async tellings<Name extends Verb>(
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

  /** Adds no worker until `release`. */
  hold(): void {
    this.#hold ??= Promise.withResolvers();
  }

  release(): void {
    this.#hold?.resolve();
    this.#hold = undefined;
  }

  /** Starts no worker again. */
  stop(): void {
    this.#isEnding = true;
  }

  /** Waits so many milliseconds for their own end, and for the last lines of their logs. */
  async end(patience: number): Promise<void> {
    this.#isEnding = true;
    const late = (time: number): Promise<void> => sleep(time, undefined, { ref: false });
    const all = [...this.#all];
    await Promise.race([Promise.all(all.map(({ exited }) => exited)), late(patience)]);
    for (const worker of this.#all) worker.kill();
    await Promise.race([Promise.all(all.map(({ closed }) => closed)), late(logPatience)]);
  }

  #start(): Args<'open'>[0] {
    return { ...this.#provisions.start, isTerminal: this.#log.isTerminal };
  }

  #begin(number: number): WorkerProcess {
    const worker = new WorkerProcess(number, this.#workers, this.#log);
    this.#all.add(worker);
    void worker.exited.then(() => this.#all.delete(worker));
    return worker;
  }

  /** Starts a worker with what all have taken up; resolves once it listens. */
  async #add(number: number): Promise<void> {
    this.#starting += 1;
    try {
      while (!(await this.#tryToAdd(number)));
    } finally {
      this.#starting -= 1;
    }
  }

  /** False where the others have taken up something else meanwhile. */
  async #tryToAdd(number: number): Promise<boolean> {
    const { version } = this.#provisions;
    const worker = this.#begin(number);
    try {
      await worker.ask('open', this.#start());
      while (this.#hold !== undefined) await this.#hold.promise;
      if (version !== this.#provisions.version) {
        worker.kill();
        return false;
      }
      // From now on it is asked with the others, in turn: it listens before it takes up any more.
      this.#members.set(number, worker);
      await worker.ask('listen');
    } catch (error) {
      this.#members.delete(number);
      worker.kill();
      throw error;
    }
    this.#look(worker);
    return true;
  }

  #look(worker: WorkerProcess): void {
    void worker.exited.then((error) => this.#replace(worker, error));
  }

  async #replace(worker: WorkerProcess, error: CommandError): Promise<void> {
    const { number } = worker;
    this.#members.delete(number);
    this.#gone(worker);
    if (this.#isEnding) return;
    ends.add();
    const isSteady = performance.now() - worker.begunAt > steadyTime;
    this.#ends.set(number, isSteady ? 1 : (this.#ends.get(number) ?? 0) + 1);
    this.#log.error('worker_ended', { worker: String(number), detail: error.message });
    // Node has closed the sockets with the last worker: who handed them down does so again.
    if (this.#members.size === 0 && this.#provisions.start.handed.size > 0) {
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
