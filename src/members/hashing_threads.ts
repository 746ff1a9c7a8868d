// Owns the threads that hash passwords: starts them for a task, ends idle ones, replaces dead ones.
// hashing.ts limits the number of tasks.

import type { Worker } from 'node:worker_threads';

import { startThread } from '../lib/asset.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { HashingAnswer, HashingTask } from './hashing_worker.ts';

/** The hint if lack of memory is the likely cause. */
const memoryHint = 'see to the memory that is free (a hash takes 19 MiB)';

/** The system lacked resources for hashing. The message holds no password. */
export class NotHashed extends Unavailable {
  readonly hint: string;

  constructor(what: string, hint: string = memoryHint, options?: ErrorOptions) {
    super(what, options);
    this.hint = hint;
  }
}

export interface HashingThreads {
  /** Runs one task in an idle or new thread; rejects with `NotHashed` if the thread dies. */
  readonly run: (task: HashingTask) => Promise<string | boolean>;
  /** Ends all threads; their tasks reject. */
  readonly end: () => void;
}

interface Thread {
  readonly worker: Worker;
  settle?: ((outcome: HashingAnswer | NotHashed) => void) | undefined;
  hasEnded?: true;
  rest?: NodeJS.Timeout | undefined;
}

/** @param patience milliseconds for which an idle thread is kept */
export function createHashingThreads(patience: number): HashingThreads {
  const threads = new Set<Thread>();
  // Last in, first out: surplus threads stay idle and end.
  const resting: Thread[] = [];

  const forget = (thread: Thread): void => {
    clearTimeout(thread.rest);
    const index = resting.indexOf(thread);
    if (index !== -1) resting.splice(index, 1);
  };
  const lose = (thread: Thread, cause?: unknown): void => {
    forget(thread);
    threads.delete(thread);
    thread.hasEnded = true;
    thread.settle?.(
      new NotHashed(`a hashing thread has ended${codeIn(cause)}`, memoryHint, { cause }),
    );
    thread.settle = undefined;
  };
  const start = (): Thread => {
    const worker = startWorker();
    const thread: Thread = { worker };
    threads.add(thread);
    worker.on('message', (answer: HashingAnswer) => {
      thread.settle?.(answer);
      thread.settle = undefined;
    });
    worker.on('error', (error) => lose(thread, error));
    worker.on('exit', () => lose(thread));
    return thread;
  };
  const layToRest = (thread: Thread): void => {
    // The thread may have died after its answer.
    if (thread.hasEnded) return;
    // An idle thread does not keep the process alive.
    thread.worker.unref();
    thread.rest = setTimeout(() => {
      forget(thread);
      void thread.worker.terminate();
    }, patience);
    thread.rest.unref();
    resting.push(thread);
  };

  const run: HashingThreads['run'] = async (task) => {
    const thread = resting.at(-1) ?? start();
    forget(thread);
    const answered = new Promise<HashingAnswer | NotHashed>((resolve) => {
      thread.settle = resolve;
    });
    thread.worker.ref();
    thread.worker.postMessage(task, []);
    const answer = await answered;
    if (answer instanceof NotHashed) throw answer;
    layToRest(thread);
    if ('trouble' in answer) throw new NotHashed(`hashing a password failed (${answer.trouble})`);
    return answer.result;
  };
  return {
    run,
    end: () => {
      for (const thread of threads) {
        void thread.worker.terminate();
        // Reject now: a running hash may delay the thread's end.
        lose(thread);
      }
    },
  };
}

/** Throws if the system refuses a thread at once; later failures are events. */
function startWorker(): Worker {
  try {
    return startThread('src/members/hashing_worker.ts');
  } catch (cause) {
    const hint =
      'see to the memory that is free and to the limits of threads (ulimit -u, TasksMax of a systemd unit)';
    throw new NotHashed(`a hashing thread cannot start${codeIn(cause)}`, hint, { cause });
  }
}

/**
 * Node's code of a thread's failure; if a thread cannot start, the message is the system's code.
 */
function codeIn(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const isOfSystem = /^E[A-Z]+$/.test(cause.message);
  const code = 'code' in cause ? String(cause.code) : cause.name;
  return ` (${isOfSystem ? cause.message : code})`;
}
