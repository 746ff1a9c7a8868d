// Owns the metrics of commits: how many changes share one, how long it takes, and how often it fails.

import { counters, histograms, usualTimes } from '../../../lib/metrics/families.ts';
import { isBusy } from './outage.ts';

const sizes = histograms(
  'jetway_store_commit_changes',
  'Changes that shared a commit of the store.',
  [1, 2, 4, 8, 16, 32, 64, 128, 256],
)();
const times = histograms(
  'jetway_store_commit_duration_seconds',
  'Time of a commit of the store, until it is durable.',
  usualTimes,
)();
const failures = counters(
  'jetway_store_commit_failures_total',
  'Commits that the store could not make.',
)();

/** Returns what `commit` does. One that meets another process's lock is tried again, and not counted. */
export function measureCommit<Result>(changes: number, commit: () => Result): Result {
  const begun = performance.now();
  try {
    const result = commit();
    sizes.observe(changes);
    times.observe((performance.now() - begun) / 1000);
    return result;
  } catch (error) {
    if (!isBusy(error)) failures.add();
    throw error;
  }
}
