// Owns running a task again and again: one run at a time, and one line of the log for a trouble that stays.

import type { Log } from '../engine/service.ts';
import { Unavailable } from '../oauth/failure.ts';

export type Task = () => Promise<unknown>;

export interface GuardedTask {
  /** Resolves once the run under way, or else a new one, has ended; never rejects. */
  readonly run: () => Promise<void>;
  /** Resolves once no run is under way. */
  readonly idle: () => Promise<void>;
  /** Why its last run failed. */
  readonly trouble: () => string | undefined;
}

/** Runs the task one at a time and never rejects; logs an error once, until a run succeeds. */
export function guarded(task: Task, log: Log): GuardedTask {
  let underWay: Promise<void> | undefined;
  let logged: string | undefined;
  const tryOnce = async (): Promise<void> => {
    try {
      await task();
      logged = undefined;
    } catch (error) {
      const detail = error instanceof Unavailable ? error.message : String(error);
      if (detail !== logged) log.error('housekeeping_failed', { detail });
      logged = detail;
    }
  };
  return {
    run: () => {
      underWay ??= tryOnce().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    idle: async () => underWay,
    trouble: () => logged,
  };
}
