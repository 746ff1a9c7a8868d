// Owns a worker of a server with several: it answers requests, and obeys the first process.

import type { LogSettings } from '../../config/log_keys.ts';
import { present } from '../../lib/present.ts';
import type { Answering } from '../answering.ts';
import { openAnswering } from '../answering_process.ts';
import { type Ending, endingOf } from '../ending.ts';
import { CommandError } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import type { Look } from '../programme_folder.ts';
import { plainFamily } from './merged_metrics.ts';
import {
  type FromWorker,
  keyOfLook,
  type Question,
  type ReadingNews,
  type Verb,
  type WorkerStart,
  type WorkerVerbs,
} from './messages.ts';

/** They reach every process of a terminal or a unit; the first process says what follows. */
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

/** These happen one after another: each depends on what the one before has left. */
const steps: ReadonlySet<Verb> = new Set(['open', 'listen', 'prepare', 'take', 'drop']);

/** Resolves once it was told to end, and has; rejects where it cannot begin or go on. */
export async function work(number: number, log: ServerLog): Promise<void> {
  for (const signal of signals) process.on(signal, () => undefined);
  const worker = new Worker(number, log);
  process.on('message', (message: Partial<Question>) => {
    if (message.verb !== undefined) void worker.hear(message as Question);
  });
  // Nothing else keeps a worker that has not begun.
  process.channel?.ref();
  tell({ hello: true });
  try {
    await worker.ended;
  } finally {
    // What is still to be written keeps the process alive, and nothing else.
    process.channel?.unref();
  }
}

function tell(message: FromWorker): void {
  // The first process may be gone: then this one ends, too.
  process.send?.(message, () => undefined);
}

class Worker {
  readonly #number: number;
  readonly #log: ServerLog;
  readonly #end = Promise.withResolvers<void>();
  #answering: Answering | undefined;
  #step: Promise<unknown> = Promise.resolve();
  /** The files of programmes, as they were taken up last. */
  #looks = new Map<string, Look>();
  #news: readonly Look[] | undefined;

  constructor(number: number, log: ServerLog) {
    this.#number = number;
    this.#log = log;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  async hear({ question, verb, args }: Question): Promise<void> {
    const obey = async (): Promise<unknown> => {
      const verbs: Partial<WorkerVerbs> = { ...this.#answering, ...this.#own };
      if (verbs[verb] === undefined) throw new Error('the worker begins');
      return (verbs[verb] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
    };
    const done = steps.has(verb) ? this.#step.then(obey) : obey();
    if (steps.has(verb)) this.#step = done.catch(() => undefined);
    try {
      tell({ answer: question, result: await done });
      if (verb === 'end') this.#end.resolve();
    } catch (error) {
      tell({ answer: question, failure: failureOf(verb, error) });
      // Who asked tells of it.
      if (verb === 'open') this.#end.reject(new CommandError(endingOf(error).exitCode, ''));
      if (verb === 'end') this.#end.reject(error);
    }
  }

  /** What is asked of the worker itself; all other verbs are those of `Answering`. */
  readonly #own: Pick<WorkerVerbs, 'turns' | 'open' | 'metrics' | 'prepare' | 'take'> = {
    turns: async () => undefined,
    open: (start) => this.#open(start),
    metrics: async () => (await this.#process().metrics()).map(plainFamily),
    prepare: ({ looks: news, ...rest }, options) => {
      const looks = this.#looksOf(news);
      if (options.dryRun !== true) this.#news = looks;
      return this.#process().prepare(present({ ...rest, looks }), options);
    },
    take: async (tells) => {
      const taken = await this.#process().take(tells);
      if (this.#news !== undefined) this.#looks = byKey(this.#news);
      return taken;
    },
  };

  async #open(start: WorkerStart): ReturnType<WorkerVerbs['open']> {
    const log = piped(this.#log, start.isTerminal);
    log.follow(start.config.log);
    this.#looks = byKey(start.looks);
    const { answering, outcomes } = await openAnswering(start, log, { worker: this.#number });
    this.#answering = answering;
    void answering.lost.then((error) => this.#lose(answering, error));
    return outcomes;
  }

  /** Its own store can no longer be used: another process may do better. */
  async #lose(answering: Answering, error: CommandError): Promise<void> {
    tell({ lost: endingOf(error) });
    await answering.close();
    await answering.end(error.message);
    this.#end.reject(new CommandError(error.exitCode, ''));
  }

  #process(): Answering {
    if (this.#answering === undefined) throw new Error('the worker begins');
    return this.#answering;
  }

  #looksOf(news: ReadingNews['looks']): readonly Look[] | undefined {
    return news?.map((one) => {
      const look = 'file' in one ? one : this.#looks.get(keyOfLook(one));
      if (look === undefined) throw new Error(`${one.path} was never given to this worker`);
      return look;
    });
  }
}

function byKey(looks: readonly Look[]): Map<string, Look> {
  return new Map(looks.map((look) => [keyOfLook(look), look]));
}

/** Other errors than those of the start are for whoever asked. */
function failureOf(verb: Verb, error: unknown): Ending {
  const ending = endingOf(error);
  if (verb === 'open' || verb === 'listen' || !(error instanceof Error)) return ending;
  return { ...ending, message: error.message };
}

/** The log of a worker goes to the first process, which writes it where the configuration says. */
function piped(log: ServerLog, isTerminal: boolean): ServerLog {
  const follow = ({ file, format, ...settings }: LogSettings): string | undefined => {
    const usual = isTerminal && file === undefined ? 'human' : 'json';
    return log.follow({ ...settings, format: format === 'auto' ? usual : format });
  };
  return { ...log, follow };
}
