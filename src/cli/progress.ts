// Owns telling people at a terminal that a command is at work: a line on standard error that counts, and
// is gone when the work is done. Nothing of it where standard error is a file or a pipe.

/** Called when one more part of the work is done. */
export type Step = () => void;

/** Milliseconds of silence that nobody minds, and between two looks of the line. */
const patience = 2000;
const pace = 200;

const eraseLine = '\r\u001b[K';

/** What progress is told to. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/**
 * Does the work, and tells of it once it has taken two seconds.
 * @param total of how many parts the work is; undefined where it is of one
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
  // Beside the steps: one of them may take long, and between them nothing else may get its turn.
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
