// Owns one worker process as the first process sees it: starting it, asking it, and its end.

import cluster, { type Worker } from 'node:cluster';
import { isSea } from 'node:sea';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { workerEnvironment } from '../../lib/machine.ts';
import type { Ending } from '../ending.ts';
import { CommandError, exitCodes, failed } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import type { OnAway } from '../start_wait.ts';
import type { Args, FromWorker, Question, Result, Verb } from './messages.ts';

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Milliseconds between questions whether the event loop turns. */
const turnInterval = 1000;
/** So many without an answer, and nobody waits for the process any more. */
const fewUnanswered = 3;
/** So many, and it is taken for hung. */
const mostUnanswered = 30;

export class WorkerProcess {
  readonly number: number;
  /** Resolves once all that it has written is passed on. */
  readonly closed: Promise<void>;
  /** When it was started, in milliseconds of the monotonic clock. */
  readonly begunAt: number = performance.now();
  readonly #worker: Worker;
  readonly #onAway: OnAway;
  readonly #asked = new Map<number, Asked>();
  /** End the waits for a process that stands still. */
  readonly #waits = new Set<(reason: CommandError) => void>();
  readonly #hello = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<CommandError>();
  readonly #turns: NodeJS.Timeout;
  #questions = 0;
  #unanswered = 0;
  #lost: Ending | undefined;

  /** Starts it. Its log goes to `log`. */
  constructor(number: number, workers: number, log: ServerLog, onAway: OnAway) {
    this.number = number;
    this.#onAway = onAway;
    cluster.setupPrimary(launch());
    this.#worker = cluster.fork(workerEnvironment(number, workers));
    const { stderr } = this.#worker.process;
    this.closed = stderr === null ? Promise.resolve() : passLines(stderr, log);
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', () => undefined);
    this.#worker.process.once('exit', (code, signal) => {
      this.#end(signal === null ? `with exit code ${code}` : `by ${signal}`);
    });
    this.#hello.promise.catch(() => undefined);
    this.#turns = setInterval(() => this.#look(), turnInterval);
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0;
  }

  get name(): string {
    return `worker ${this.number} (process ${this.pid})`;
  }

  /** Resolves to why it ended. */
  get exited(): Promise<CommandError> {
    return this.#exited.promise;
  }

  /**
   * @throws CommandError with the worker's exit code and message, or where it ends meanwhile
   */
  async ask<Name extends Verb>(verb: Name, ...args: Args<Name>): Promise<Result<Name>> {
    await this.#hello.promise;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const question = (this.#questions += 1);
    this.#asked.set(question, { resolve, reject });
    this.#worker.send({ question, verb, args } satisfies Question, () => undefined);
    return promise as Promise<Result<Name>>;
  }

  /**
   * As `ask`, but does not wait for a process that stands still.
   * @throws CommandError then, too: it may do what it was asked once it goes on
   */
  async askAwake<Name extends Verb>(verb: Name, ...args: Args<Name>): Promise<Result<Name>> {
    const { promise: still, reject } = Promise.withResolvers<never>();
    this.#waits.add(reject);
    try {
      return await Promise.race([this.ask(verb, ...args), still]);
    } finally {
      this.#waits.delete(reject);
    }
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #hear(message: FromWorker): void {
    if ('hello' in message) this.#hello.resolve();
    else if ('away' in message) this.#onAway(message.away);
    else if ('lost' in message) this.#lost = message.lost;
    else if ('answer' in message) {
      const asked = this.#asked.get(message.answer);
      this.#asked.delete(message.answer);
      if ('failure' in message) asked?.reject(errorOf(message.failure));
      else asked?.resolve(message.result);
    }
  }

  /** FAULTS 21: a process whose event loop stands still is replaced. */
  #look(): void {
    if (this.#unanswered >= fewUnanswered) this.#endWaits();
    if (this.#unanswered >= mostUnanswered) this.kill();
    this.#unanswered += 1;
    void this.ask('turns').then(
      () => (this.#unanswered = 0),
      () => undefined,
    );
  }

  #endWaits(): void {
    const reason = failed(
      `${this.name} does not answer: its event loop stands still; ask again once it goes on`,
    );
    for (const reject of this.#waits) reject(reason);
  }

  #end(how: string): void {
    clearInterval(this.#turns);
    const { message, exitCode } = this.#lost ?? {
      message: `${this.name} has ended ${how}`,
      exitCode: exitCodes.failed,
    };
    const error = new CommandError(exitCode, message);
    this.#hello.reject(error);
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
    this.#exited.resolve(error);
  }
}

function errorOf({ exitCode, message }: Ending): CommandError {
  return new CommandError(exitCode, message);
}

/** The command line of this process again, whose environment says that it is a worker's. */
function launch(): NonNullable<Parameters<typeof cluster.setupPrimary>[0]> {
  const [, script = '', ...args] = process.argv;
  // The executable has no script: what stands in its place is the first argument.
  const [exec = '', ...rest] = isSea() ? args : [script, ...args];
  return {
    exec,
    args: rest,
    execArgv: isSea() ? [] : process.execArgv,
    serialization: 'advanced',
    // Standard error alone is read.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  };
}

/** Milliseconds between looks whether the log has room again. */
const roomCheck = 20;

/**
 * Passes whole lines on; resolves after the last. While the log has no room, the worker keeps its own,
 * within its bounds.
 */
async function passLines(stream: Readable, log: ServerLog): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  try {
    for await (const text of stream as AsyncIterable<string>) {
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) log.pass(rest + text.slice(0, end));
      rest = end > 0 ? text.slice(end) : rest + text;
      while (!log.hasRoom()) await sleep(roomCheck, undefined, { ref: false });
    }
  } catch {
    // The worker was killed.
  }
  if (rest !== '') log.pass(`${rest}\n`);
}
