// Owns gates: a limit on work at once, and on work that waits.

/** Pieces of work that may run, and that may wait. */
export interface GateLimits {
  readonly atOnce: number;
  readonly waiting: number;
}

/** No more work may wait: this piece will not be begun. */
export class GateFull extends Error {
  override readonly name = 'GateFull';
}

/** How one piece of work waits. */
export interface Admission {
  /** Aborted, with an error, when its caller hangs up: then the work leaves the queue. */
  readonly hangUp?: AbortSignal | undefined;
  /** Owners whose turn it takes, such as an address or a member. */
  readonly owners?: readonly string[] | undefined;
}

export interface Gate {
  /**
   * Runs work when there is room for it. Owners take turns: an owner's second piece of work comes
   * after every other owner's first; within a turn, work runs by arrival. Where no more may wait, the
   * piece with the latest turn is refused, so that no owner can fill the queue. Refused work is not
   * begun: it rejects with `GateFull`, or with the reason of `hangUp`.
   */
  readonly pass: <Result>(work: () => Promise<Result>, admission?: Admission) => Promise<Result>;
  /** How many pieces of work wait. */
  readonly waiting: () => number;
  /** Rejects all waiting and later work with the reason. */
  readonly close: (reason: Error) => void;
}

interface Waiting {
  readonly turn: number;
  readonly owners: readonly string[];
  readonly enter: () => void;
  readonly refuse: (reason: Error) => void;
}

export function createGate({ atOnce, waiting }: GateLimits): Gate {
  /** By turn, and by arrival within a turn. */
  const queue: Waiting[] = [];
  let inside = 0;
  /** The turn of the last piece of work that had waited. */
  let currentTurn = 0;
  let closed: Error | undefined;

  const turnOf = (owners: readonly string[]): number => {
    const last = queue.findLast((one) => one.owners.some((owner) => owners.includes(owner)));
    return last === undefined ? currentTurn : last.turn + 1;
  };
  const makeRoom = (turn: number): void => {
    if (queue.length < waiting) return;
    const full = new GateFull('too many are waiting already');
    const last = queue.at(-1);
    if (last === undefined || last.turn <= turn) throw full;
    last.refuse(full);
  };
  const wait = ({ hangUp, owners = [] }: Admission): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => place.refuse(hangUp?.reason as Error);
      const forget = (): void => {
        queue.splice(queue.indexOf(place), 1);
        hangUp?.removeEventListener('abort', leave);
      };
      const place: Waiting = {
        turn: turnOf(owners),
        owners,
        enter: () => {
          forget();
          currentTurn = place.turn;
          resolve();
        },
        refuse: (reason) => {
          forget();
          reject(reason);
        },
      };
      makeRoom(place.turn);
      queue.splice(queue.findLastIndex(({ turn }) => turn <= place.turn) + 1, 0, place);
      hangUp?.addEventListener('abort', leave);
    });
  return {
    async pass(work, admission = {}) {
      if (closed !== undefined) throw closed;
      admission.hangUp?.throwIfAborted();
      if (inside < atOnce) inside += 1;
      // Finished work hands its place to the queue: later work cannot take it in between.
      else await wait(admission);
      try {
        return await work();
      } finally {
        const [next] = queue;
        if (next === undefined) inside -= 1;
        else next.enter();
      }
    },
    waiting: () => queue.length,
    close(reason) {
      closed = reason;
      for (let next = queue[0]; next !== undefined; next = queue[0]) next.refuse(reason);
    },
  };
}
