// Owns running a task again and again: one run at a time, and one line of the log for a trouble that stays.

import type { Log } from '../../../engine/service.ts';
import { Unavailable } from '../../../oauth/failure.ts';

export type Task = () => Promise<unknown>;

export interface GuardedTask {
  readonly run: Task;
  /** Why its last run failed. */
  readonly trouble: () => string | undefined;
}

/** Runs the task one at a time and never rejects; logs an error once, until a run succeeds. */
export function guarded(task: Task, log: Log): GuardedTask {
  let isRunning = false;
  let logged: string | undefined;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await task();
      logged = undefined;
    } catch (error) {
      const detail = error instanceof Unavailable ? error.message : String(error);
      if (detail !== logged) log.error('housekeeping_failed', { detail });
      logged = detail;
    } finally {
      isRunning = false;
    }
  };
  return { run, trouble: () => logged };
}
