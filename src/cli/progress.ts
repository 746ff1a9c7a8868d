// Owns the progress line of a long command: it stands on standard error while the work goes on, and only
// if standard error is a terminal.

/** Called when one more part of the work is done. */
export type Step = () => void;

/** Milliseconds until the line appears, and between its updates. */
const patience = 2000;
const pace = 200;

const eraseLine = '\r\u001b[K';

/** Where the line is written. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/**
 * Does the work, and shows the progress line once it has taken two seconds.
 * @param total how many parts the work has; undefined for work in one part
 */
export async function withProgress<Result>(
  what: string,
  total: number | undefined,
  work: (step: Step) => Promise<Result>,
  terminal: Terminal = process.stderr,
): Promise<Result> {
  if (terminal.isTTY !== true) return work(() => undefined);
  const begun = performance.now();
  let done = 0;
  let shownAt: number | undefined;
  const look = (): void => {
    const now = performance.now();
    if (now - begun < patience || now - (shownAt ?? 0) < pace) return;
    shownAt = now;
    const seconds = Math.floor((now - begun) / 1000);
    const parts = total === undefined ? '' : `${done} of ${total}, `;
    terminal.write(`${eraseLine}${what}: ${parts}${seconds} s`);
  };
  // Besides at each step: a step may take long.
  const timer = setInterval(look, pace);
  try {
    return await work(() => {
      done += 1;
      look();
    });
  } finally {
    clearInterval(timer);
    if (shownAt !== undefined) terminal.write(eraseLine);
  }
}
