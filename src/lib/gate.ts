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

/** Runs work when there is room for it, first come, first served; rejects with `GateFull`. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createGate({ atOnce, waiting }: GateLimits): Gate {
  const queue: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside < atOnce) inside += 1;
    else {
      if (queue.length >= waiting) throw new GateFull('too many are waiting already');
      // Who leaves hands its place over: nobody who comes later can slip in between.
      await new Promise<void>((resolve) => {
        queue.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) inside -= 1;
      else next();
    }
  };
}
