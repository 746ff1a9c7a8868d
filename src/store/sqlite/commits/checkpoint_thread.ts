// Owns starting, ordering and ending the checkpoint thread (checkpoint_worker.ts). It starts with the
// first order and does not keep the process alive.

import type { Worker } from 'node:worker_threads';

import { startThread } from '../../../lib/asset.ts';
import { type FileIdentity, identityOf } from '../file/identity.ts';
import { CheckpointTurn } from './checkpoint_turn.ts';
import type { CheckpointReport, CheckpointWork } from './checkpoint_worker.ts';

/** Milliseconds to wait for a running checkpoint; on a disk that is slower, commits are slower too. */
const patience = 1000;
/** The thread's heap holds next to nothing. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

interface Begun {
  readonly worker: Worker;
  readonly turn: CheckpointTurn;
}

export interface CheckpointListener {
  /** The log is moved, but for `stuck` pages that have to stay for now. */
  readonly moved: (stuck: number) => void;
  /** The checkpoint failed; the error has SQLite's result code. Called once for each failure. */
  readonly failed: (error: Error) => void;
  /** No checkpoint was tried: the thread cannot start, has died, or cannot open the file. */
  readonly unable: () => void;
}

export class CheckpointThread {
  readonly #path: string;
  readonly #identity: FileIdentity | undefined;
  readonly #listener: CheckpointListener;
  #begun: Begun | undefined;
  #isBusy = false;
  /** Resolves once the order has its outcome. */
  #settled: PromiseWithResolvers<void> | undefined;

  constructor(path: string, listener: CheckpointListener) {
    this.#path = path;
    this.#identity = identityOf(path);
    this.#listener = listener;
  }

  /** Whether an order has no outcome yet. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Orders a checkpoint; call it while the thread is not busy. */
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
   * Returns once no checkpoint runs, nor will run before the next order, or when the disk takes very
   * long. A failure is told before it returns: nothing else is done with the file before that.
   */
  pause(): void {
    if (this.#begun?.turn.takeBack(patience) === true) this.#isBusy = false;
    this.#tellFailure();
  }

  /**
   * Ends the thread and closes its connection; undefined where there is none. Waits for the outcome of
   * a running order, however long that takes.
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
    // 'exit' follows. Without a listener the error would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#lose());
    // After the listeners: adding a listener refs the worker again.
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

  /** The failure may have been told already: `pause` does not wait for the thread's message. */
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
