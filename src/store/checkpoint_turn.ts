// Owns whose turn it is to move the log: SQLite refuses a second checkpoint while one runs, and its
// busy timeout does not wait for it.

const free = 0;
const asked = 1;
const running = 2;

/** What two threads of a store agree on; it lies in memory that both of them see. */
export class CheckpointTurn {
  readonly shared: SharedArrayBuffer;
  readonly #state: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
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

  /** The other thread's end. */
  end(): void {
    Atomics.store(this.#state, 0, free);
    Atomics.notify(this.#state, 0);
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
