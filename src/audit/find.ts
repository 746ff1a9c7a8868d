// Owns finding events in an audit stream, over all of its files. Verifies nothing.

import { statSync } from 'node:fs';

import { UnreadableFile } from '../lib/read_file.ts';
import { filesOf, readBlocks } from './files.ts';

/** What an event must have; all of it. */
export interface Criteria {
  /** Of each: the fact by one of these names has one of these values. */
  readonly facts: readonly {
    readonly names: readonly string[];
    readonly values: readonly string[];
  }[];
  /** Milliseconds since the epoch; not before the first, before the second. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface FoundEvent {
  /** As it stands in its file. */
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * The events in the order of the stream, in pieces.
 * @param onTrouble told why a file could not be read to its end; the others are read all the same
 */
export async function* findEvents(
  path: string,
  criteria: Criteria,
  onTrouble: (file: string, why: string) => void,
): AsyncGenerator<readonly FoundEvent[]> {
  const { since = 0 } = criteria;
  for (const file of await filesOf(path)) {
    // A file that was written last before that has no later event.
    if (statSync(file).mtimeMs < since) continue;
    try {
      for await (const { lines } of readBlocks(file)) {
        const found = lines.flatMap((text) => matchOf(text, criteria) ?? []);
        if (found.length > 0) yield found;
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      onTrouble(file, error.message);
    }
  }
}

function matchOf(text: string, { facts, since, until }: Criteria): FoundEvent | undefined {
  // Most lines have not even the text of the values: looking for it costs less than reading JSON.
  if (!facts.every(({ values }) => values.some((value) => text.includes(value)))) return undefined;
  const told = parse(text);
  if (told === undefined) return undefined;
  const time = Date.parse(String(told['time']));
  if ((since !== undefined && time < since) || (until !== undefined && time >= until)) {
    return undefined;
  }
  const isMatch = facts.every(({ names, values }) =>
    names.some((name) => values.some((value) => value === told[name])),
  );
  return isMatch ? { text, facts: told } : undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
