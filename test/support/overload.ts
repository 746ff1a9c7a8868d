// Owns an overload of this process with one kind of work.

import type { TestContext } from 'node:test';

import { admission } from '../../src/http/admission.ts';
import type { WorkKind } from '../../src/http/waiting_line.ts';

/** More than may wait of any kind. */
const flooding = 40_000;
/** Milliseconds of processor time that each piece of work takes. */
const workTime = 0.1;

/**
 * Keeps more work of a kind waiting than there is room for, until the test is over or the returned
 * function is called, which resolves once none waits.
 */
export function overload(t: TestContext, kind: WorkKind): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = flooding;
  let isOver = false;
  const work = (): void => {
    if (isOver) {
      waiting -= 1;
      if (waiting === 0) resolve();
      return;
    }
    const until = performance.now() + workTime;
    while (performance.now() < until);
    admission.begin(kind, work);
  };
  for (let begun = 0; begun < flooding; begun += 1) admission.begin(kind, work);
  const end = (): Promise<void> => {
    isOver = true;
    return promise;
  };
  t.after(end);
  return end;
}
