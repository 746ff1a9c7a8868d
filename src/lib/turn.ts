// Owns the order of work within a turn of the event loop: requests that arrived together take each step
// together.

/** The steps of a turn, in order: work on the requests, commit their writes, send their replies. */
const steps = ['requests', 'commits', 'replies'] as const;
export type Step = (typeof steps)[number];

const waiting: readonly (() => void)[][] = steps.map(() => []);
let isPlanned = false;

/**
 * Runs a callback in a step of this turn or, where that step is over, of the next. A step ends for all
 * requests, with the promises that it settles, before the next begins: the code of one step stays in
 * the processor's caches, and the writes and replies of many requests leave together. `callback` must
 * not throw.
 */
export function inTurn(step: Step, callback: () => void): void {
  waiting[steps.indexOf(step)]?.push(callback);
  if (!isPlanned) plan();
}

function plan(): void {
  isPlanned = true;
  // One immediate for each step: promises settle between them.
  for (const index of steps.keys()) setImmediate(() => run(index));
}

function run(index: number): void {
  const callbacks = waiting[index]?.splice(0) ?? [];
  const isLast = index === steps.length - 1;
  if (isLast) isPlanned = false;
  for (const callback of callbacks) callback();
  if (isLast && !isPlanned && waiting.some(({ length }) => length > 0)) plan();
}
