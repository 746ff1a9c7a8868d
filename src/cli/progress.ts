// Owns the progress line of a long command, on standard error and only if that is a terminal.

/** Called after each part of the work. */
export type Step = () => void;

/** Milliseconds until the line appears, and between its updates. */
const patience = 2000;
const pace = 200;

const eraseLine = '\r\u001b[K';

export interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/**
 * Does the work, and shows the progress line after two seconds.
 * @param total number of parts; undefined for work in one part
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
  // Also between steps: a step may take long.
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
