// Owns the threads that hash passwords: begun when there is something to hash, ended when there has
// been nothing for a while, replaced when they die. How many there may be is hashing.ts's business.

import type { Worker } from 'node:worker_threads';

import { startThread } from '../lib/asset.ts';
import type { HashingAnswer, HashingTask } from './hashing_worker.ts';
import { NotHashed, threadEnded, threadNotStarted } from './not_hashed.ts';

export interface HashingThreads {
  /** Does one task in a thread that has nothing else to do; rejects with `NotHashed` if that dies. */
  readonly run: (task: HashingTask) => Promise<string | boolean>;
  /** Ends all threads, whatever they are about. */
  readonly end: () => void;
}

interface Thread {
  readonly worker: Worker;
  /** Settles the task that it has. */
  settle?: ((outcome: HashingAnswer | NotHashed) => void) | undefined;
  hasEnded?: true;
  /** Ends it when it has rested for long. */
  rest?: NodeJS.Timeout | undefined;
}

/** @param patience milliseconds that a thread without a task is kept for */
export function createHashingThreads(patience: number): HashingThreads {
  const threads = new Set<Thread>();
  // Who worked last works next, so that those that are too many come to rest.
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
    thread.settle?.(threadEnded(cause));
    thread.settle = undefined;
  };
  const start = (): Thread => {
    const worker = begin();
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
    // Between its answer and now.
    if (thread.hasEnded) return;
    // No reason for the process to stay.
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
        // Not when it has: what it is about may take a while.
        lose(thread);
      }
    },
  };
}

/** Throws at once where the system has no thread to give, and otherwise tells by an event. */
function begin(): Worker {
  try {
    return startThread('src/members/hashing_worker.ts');
  } catch (cause) {
    throw threadNotStarted(cause);
  }
}
