// Owns reading a server's log in tests.

/** One line of the log, where a test looks at it. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly programme?: string;
  readonly detail?: string;
}

/** The whole lines so far. */
export function logLines(log: string): readonly LogLine[] {
  return wholeLines(log).map((line) => JSON.parse(line) as LogLine);
}

/** The events of a kind so far, in order; a line that is no JSON is none. */
export function eventsNamed(log: string, name: string): readonly LogLine[] {
  const lines = wholeLines(log).filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as LogLine).filter(({ event }) => event === name);
}

/** All the other whole lines, such as tell of trouble. */
export function eventLines(log: string): readonly string[] {
  return wholeLines(log).filter((line) => !ordinary.test(line));
}

const ordinary = /"event":"(?:request|login|command)"/;

function wholeLines(log: string): readonly string[] {
  return log.split('\n').slice(0, -1);
}
