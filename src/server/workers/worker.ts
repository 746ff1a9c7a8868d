// Owns a worker of a server with several: a server that reads its files itself, and that the first process
// asks by messages.

import type { LogSettings } from '../../config/log_keys.ts';
import { readTls } from '../../config/tls.ts';
import { type Ending, endingOf } from '../ending.ts';
import { CommandError } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import { Server } from '../server.ts';
import {
  type FromWorker,
  plainFamily,
  type Question,
  type Verb,
  type WorkerStart,
  type WorkerVerbs,
} from './messages.ts';

/** They reach every process of a terminal or a unit; the first process says what follows. */
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

/** These happen one after another: each depends on what the one before has left. */
const steps: ReadonlySet<Verb> = new Set(['open', 'start', 'reload']);

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
  #server: Server | undefined;
  #step: Promise<unknown> = Promise.resolve();

  constructor(number: number, log: ServerLog) {
    this.#number = number;
    this.#log = log;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  async hear({ question, verb, args }: Question): Promise<void> {
    const obey = async (): Promise<unknown> => {
      const obeyed = this.#verbs[verb] as (...all: readonly unknown[]) => Promise<unknown>;
      return obeyed(...args);
    };
    const done = steps.has(verb) ? this.#step.then(obey) : obey();
    if (steps.has(verb)) this.#step = done.catch(() => undefined);
    try {
      tell({ answer: question, result: await done });
      if (verb === 'stop') this.#end.resolve();
    } catch (error) {
      tell({ answer: question, failure: failureOf(verb, error) });
      // Who asked tells of it.
      if (verb === 'open') this.#end.reject(new CommandError(endingOf(error).exitCode, ''));
      if (verb === 'stop') this.#end.reject(error);
    }
  }

  readonly #verbs: WorkerVerbs = {
    turns: async () => undefined,
    open: (start) => this.#open(start),
    start: () => this.#begun.start(),
    reload: (options, asked) => this.#begun.reload(options, asked),
    health: () => this.#begun.health(),
    metrics: async () => (await this.#begun.metrics()).map(plainFamily),
    status: () => this.#begun.status(),
    why: (query) => this.#begun.why(query),
    acceptClock: () => this.#begun.acceptClock(),
    leave: () => this.#begun.leave(),
    stop: async (why) => this.#server?.stop(why),
  };

  get #begun(): Server {
    if (this.#server === undefined) throw new Error('the worker begins');
    return this.#server;
  }

  async #open({ isTerminal, ...start }: WorkerStart): ReturnType<WorkerVerbs['open']> {
    const log = piped(this.#log, isTerminal);
    log.follow(start.config.log);
    // As they are now; what cannot be read is as the first process has it.
    const tls = { ...start.tls, ...readTls(start.config) };
    const onAway = (away: string): void => tell({ away });
    const server = await Server.open({ ...start, tls, worker: this.#number }, log, onAway);
    this.#server = server;
    void server.lost.then((error) => this.#lose(server, error));
    return server.outcomes;
  }

  /** Its own store can no longer be used: another process may do better. */
  async #lose(server: Server, error: CommandError): Promise<void> {
    tell({ lost: endingOf(error) });
    await server.stop(error.message);
    this.#end.reject(new CommandError(error.exitCode, ''));
  }
}

/** Other errors than those of the start are for whoever asked. */
function failureOf(verb: Verb, error: unknown): Ending {
  const ending = endingOf(error);
  if (verb === 'open' || verb === 'start' || !(error instanceof Error)) return ending;
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
