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

export interface Gate {
  /**
   * Runs work when there is room for it, first come, first served. Rejects without having begun it:
   * with `GateFull`, or with the signal's reason, an error, where that is aborted before its turn has come.
   */
  readonly pass: <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;
  /** Begins nothing any more: who waits, and whoever comes, is told the reason. */
  readonly close: (reason: Error) => void;
}

interface Waiting {
  readonly enter: () => void;
  readonly refuse: (reason: Error) => void;
}

export function createGate({ atOnce, waiting }: GateLimits): Gate {
  const queue = new Set<Waiting>();
  let inside = 0;
  let closed: Error | undefined;
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => place.refuse(signal?.reason as Error);
      const forget = (): void => {
        queue.delete(place);
        signal?.removeEventListener('abort', leave);
      };
      const place: Waiting = {
        enter: () => {
          forget();
          resolve();
        },
        refuse: (reason) => {
          forget();
          reject(reason);
        },
      };
      queue.add(place);
      signal?.addEventListener('abort', leave);
    });
  return {
    async pass(work, signal) {
      if (closed !== undefined) throw closed;
      signal?.throwIfAborted();
      if (inside < atOnce) inside += 1;
      else {
        if (queue.size >= waiting) throw new GateFull('too many are waiting already');
        // Who leaves hands its place over: nobody who comes later can slip in between.
        await turn(signal);
      }
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
      for (const place of queue) place.refuse(reason);
    },
  };
}
