// Owns the thread that moves a store's log into its file (checkpoint_worker.ts): begun with the first
// order, and no reason for the process to stay.

import type { Worker } from 'node:worker_threads';

import { startThread } from '../../../lib/thread.ts';
import { type FileIdentity, identityOf } from '../file/identity.ts';
import { CheckpointTurn } from './checkpoint_turn.ts';
import type { CheckpointReport, CheckpointWork } from './checkpoint_worker.ts';

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
  /** With the result code that SQLite would have thrown, once for each. */
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
  /** Resolves once the order is answered. */
  #settled: PromiseWithResolvers<void> | undefined;

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

  /**
   * Returns once no checkpoint runs, nor will before the next order; or when the disk takes very
   * long. One that has failed is told of first, before anything else is done with the file.
   */
  pause(): void {
    if (this.#begun?.turn.takeBack(patience) === true) this.#isBusy = false;
    this.#tellFailure();
  }

  /**
   * Ends the thread and closes its connection; undefined where there is none. What came of its
   * order, however long that takes, has been told by then.
   */
  end(): Promise<unknown> | undefined {
    const { worker } = this.#begun ?? {};
    return worker && this.#end(worker);
  }

  async #end(worker: Worker): Promise<void> {
    if (this.#isBusy) {
      worker.ref();
      this.#settled ??= Promise.withResolvers<void>();
      await this.#settled.promise;
    }
    await worker.terminate();
  }

  #begin(): Begun {
    const turn = new CheckpointTurn();
    const workerData: CheckpointWork = {
      path: this.#path,
      identity: this.#identity,
      turn: turn.shared,
    };
    const worker = startThread('src/store/sqlite/commits/checkpoint_worker.ts', {
      workerData,
      resourceLimits,
    });
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
    if (report.outcome === 'moved') this.#listener.moved(report.stuck);
    else if (report.outcome === 'unable') this.#listener.unable();
    else this.#tellFailure();
    this.#settled?.resolve();
  }

  /** It may have been told already: a pause does not wait for the thread's word. */
  #tellFailure(): void {
    const errcode = this.#begun?.turn.takeFailure();
    if (errcode === undefined) return;
    const error = new Error(`the log could not be moved (SQLite's result code ${errcode})`);
    this.#listener.failed(Object.assign(error, { errcode }));
  }

  #lose(): void {
    this.#tellFailure();
    this.#begun = undefined;
    if (!this.#isBusy) return;
    this.#isBusy = false;
    this.#listener.unable();
    this.#settled?.resolve();
  }
}
