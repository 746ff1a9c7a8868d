// Owns the order of work within a turn of the event loop: what arrived together is done together, step by step.

/**
 * The steps of a turn, in their order: requests that were read are worked on, what they write is
 * committed, what they are answered is sent.
 */
const steps = ['requests', 'commits', 'replies'] as const;
export type Step = (typeof steps)[number];

const waiting: readonly (() => void)[][] = steps.map(() => []);
let isPlanned = false;

/**
 * Has something done in a step of this turn or, when that is over, of the next. Each step is done for
 * everybody before the next begins, promises that it settles included: one thing done for many
 * requests stays in the processor's caches, where everything done for one after the other does not,
 * and what many write and are answered leaves in one piece. `callback` must not throw.
 */
export function inTurn(step: Step, callback: () => void): void {
  waiting[steps.indexOf(step)]?.push(callback);
  if (!isPlanned) plan();
}

function plan(): void {
  isPlanned = true;
  // One immediate each: promises are settled between them.
  for (const index of steps.keys()) setImmediate(() => run(index));
}

function run(index: number): void {
  const callbacks = waiting[index]?.splice(0) ?? [];
  const isLast = index === steps.length - 1;
  if (isLast) isPlanned = false;
  for (const callback of callbacks) callback();
  if (isLast && !isPlanned && waiting.some(({ length }) => length > 0)) plan();
}
