// Owns the thread that moves a store's log into its file (checkpoint_worker.ts): begun with the first
// order, and no reason for the process to stay.

import type { Worker } from 'node:worker_threads';

import { startThread } from '../lib/thread.ts';
import { CheckpointTurn } from './checkpoint_turn.ts';
import type { CheckpointReport, CheckpointWork } from './checkpoint_worker.ts';
import { type FileIdentity, identityOf } from './file_identity.ts';

/** Milliseconds to wait for a checkpoint that runs; a disk that takes longer takes longer for commits too. */
const patience = 1000;
/** Its heap holds next to nothing. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

interface Begun {
  readonly worker: Worker;
  readonly turn: CheckpointTurn;
}

/** Who is told what came of an order. */
export interface CheckpointListener {
  /** `stuck`: the pages that were in the log by then and have to stay there for now. */
  readonly moved: (stuck: number) => void;
  /** As SQLite would have thrown it. */
  readonly failed: (error: Error) => void;
  /** Nothing was tried: there is no thread, or it has died, or it cannot open the file. */
  readonly unable: () => void;
}

export class CheckpointThread {
  readonly #path: string;
  readonly #identity: FileIdentity | undefined;
  readonly #listener: CheckpointListener;
  #begun: Begun | undefined;
  #isBusy = false;

  constructor(path: string, listener: CheckpointListener) {
    this.#path = path;
    this.#identity = identityOf(path);
    this.#listener = listener;
  }

  /** Whether an order has not been answered yet. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Has the log moved; call it while the thread is not busy. */
  order(): void {
    this.#isBusy = true;
    try {
      this.#begun ??= this.#begin();
    } catch {
      // The system gives no more threads.
      return this.#lose();
    }
    this.#begun.turn.ask();
    this.#begun.worker.postMessage('move', []);
    return undefined;
  }

  /** Returns once no checkpoint runs, nor will before the next order. */
  pause(): void {
    if (this.#begun?.turn.takeBack(patience) === true) this.#isBusy = false;
  }

  /** Ends the thread and closes its connection; undefined where there is none. */
  end(): Promise<unknown> | undefined {
    return this.#begun?.worker.terminate();
  }

  #begin(): Begun {
    const turn = new CheckpointTurn();
    const workerData: CheckpointWork = {
      path: this.#path,
      identity: this.#identity,
      turn: turn.shared,
    };
    const worker = startThread('src/store/checkpoint_worker.ts', { workerData, resourceLimits });
    worker.on('message', (report: CheckpointReport) => this.#hear(report));
    // 'exit' follows; unheard it would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#lose());
    // After whoever listens: a listener is one more reason to stay.
    worker.unref();
    return { worker, turn };
  }

  #hear(report: CheckpointReport): void {
    this.#isBusy = false;
    if (report.outcome === 'moved') return this.#listener.moved(report.stuck);
    if (report.outcome === 'unable') return this.#listener.unable();
    const { message, errcode } = report;
    return this.#listener.failed(Object.assign(new Error(message), { errcode }));
  }

  #lose(): void {
    this.#begun = undefined;
    if (!this.#isBusy) return;
    this.#isBusy = false;
    this.#listener.unable();
  }
}
