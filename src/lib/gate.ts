// Owns gates: so much of some work at once, so much waiting, and no more. Knows nothing of the work.

/** How many may be inside, and how many may wait to be. */
export interface GateLimits {
  readonly atOnce: number;
  readonly waiting: number;
}

/** There is no room to wait in: the work was not begun, and will not be. */
export class GateFull extends Error {
  override readonly name = 'GateFull';
}

/** How one piece of work waits. */
export interface Admission {
  /** Aborted, by an error, when nobody waits for it any more: then it leaves the queue. */
  readonly hangUp?: AbortSignal | undefined;
  /** Whose turn it takes: an address's, a member's. */
  readonly owners?: readonly string[] | undefined;
}

export interface Gate {
  /**
   * Runs work when there is room for it. Owners take turns: an owner's second piece of work comes
   * after everybody's first; within a turn the first that came goes first. Where no more may wait,
   * the piece with the latest turn is sent away, so that no owner can fill the queue. Rejects without
   * having begun the work: with `GateFull`, or with the reason of `hangUp`.
   */
  readonly pass: <Result>(work: () => Promise<Result>, admission?: Admission) => Promise<Result>;
  /** Begins nothing any more: who waits, and whoever comes, is told the reason. */
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
  /** That of the last piece of work that had waited. */
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
      // Who leaves hands its place over: nobody who comes later can slip in between.
      else await wait(admission);
      try {
        return await work();
      } finally {
        const [next] = queue;
        if (next === undefined) inside -= 1;
        else next.enter();
      }
    },
    close(reason) {
      closed = reason;
      for (let next = queue[0]; next !== undefined; next = queue[0]) next.refuse(reason);
    },
  };
}
