// Owns which of two threads may move the log: SQLite refuses a second checkpoint while one runs, and
// its busy timeout does not wait for the first.

const free = 0;
const asked = 1;
const running = 2;
/** A checkpoint failed, and its error has not been taken yet. */
const failed = 3;

/** The state of an order, in memory that the store's thread and the checkpoint thread share. */
export class CheckpointTurn {
  readonly shared: SharedArrayBuffer;
  /** The state, and SQLite's result code of a failed checkpoint. */
  readonly #state: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  /** Orders a checkpoint; the checkpoint thread needs a message as well. */
  ask(): void {
    Atomics.store(this.#state, 0, asked);
  }

  /** The checkpoint thread begins; false where the order has been taken back. */
  begin(): boolean {
    return Atomics.compareExchange(this.#state, 0, asked, running) === asked;
  }

  /** The checkpoint thread has ended its checkpoint; `errcode` where that failed. */
  end(errcode?: number): void {
    Atomics.store(this.#state, 1, errcode ?? 0);
    Atomics.store(this.#state, 0, errcode === undefined ? free : failed);
    Atomics.notify(this.#state, 0);
  }

  /** SQLite's result code of a failed checkpoint, for the first caller. */
  takeFailure(): number | undefined {
    const isOurs = Atomics.compareExchange(this.#state, 0, failed, free) === failed;
    return isOurs ? Atomics.load(this.#state, 1) : undefined;
  }

  /**
   * Takes back an order that has not begun (true), or waits up to `patience` milliseconds for the end of
   * a checkpoint that has (false).
   */
  takeBack(patience: number): boolean {
    if (Atomics.compareExchange(this.#state, 0, asked, free) === asked) return true;
    Atomics.wait(this.#state, 0, running, patience);
    return false;
  }
}
