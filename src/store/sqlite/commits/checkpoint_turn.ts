// Owns whose turn it is to move the log: SQLite refuses a second checkpoint while one runs, and its
// busy timeout does not wait for it.

const free = 0;
const asked = 1;
const running = 2;
/** A checkpoint failed, and nobody has been told yet. */
const failed = 3;

/** What two threads of a store agree on; it lies in memory that both of them see. */
export class CheckpointTurn {
  readonly shared: SharedArrayBuffer;
  /** Whose turn it is, and SQLite's result code of what failed. */
  readonly #state: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  /** Gives the turn to the other thread, which has to be told. */
  ask(): void {
    Atomics.store(this.#state, 0, asked);
  }

  /** The other thread's beginning; false where what was asked for has been taken back. */
  begin(): boolean {
    return Atomics.compareExchange(this.#state, 0, asked, running) === asked;
  }

  /** The other thread's end; `errcode` where its checkpoint failed. */
  end(errcode?: number): void {
    Atomics.store(this.#state, 1, errcode ?? 0);
    Atomics.store(this.#state, 0, errcode === undefined ? free : failed);
    Atomics.notify(this.#state, 0);
  }

  /** SQLite's result code of a checkpoint that failed, for whoever asks first. */
  takeFailure(): number | undefined {
    const isOurs = Atomics.compareExchange(this.#state, 0, failed, free) === failed;
    return isOurs ? Atomics.load(this.#state, 1) : undefined;
  }

  /**
   * Takes back what the other thread has not begun, true then; waits for what it has, up to
   * `patience` milliseconds.
   */
  takeBack(patience: number): boolean {
    if (Atomics.compareExchange(this.#state, 0, asked, free) === asked) return true;
    Atomics.wait(this.#state, 0, running, patience);
    return false;
  }
}
