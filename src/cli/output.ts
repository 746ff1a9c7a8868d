// Owns printing: data on standard output, everything else on standard error.

import { createReadStream } from 'node:fs';

import { legible, legibleJson } from '../lib/fault.ts';
import { say } from '../server/ending.ts';

export interface OutputOptions {
  readonly json?: boolean;
}

export interface VerbOptions extends OutputOptions {
  readonly config: string;
}

/** Writing to standard output failed: its reader has gone (EPIPE), or its disk is full. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost';
  readonly code: string;

  constructor(cause: NodeJS.ErrnoException) {
    super(`standard output cannot be written to (${cause.code ?? cause.message})`, { cause });
    this.code = cause.code ?? '';
  }
}

/** Prints a verb's result: `value` as JSON with `--json`, otherwise `text`. */
export function printResult(
  { json = false }: OutputOptions,
  value: unknown,
  text: string,
): Promise<void> {
  return json ? printJson(value) : print(text);
}

/** Prints lines of text for people; throws `OutputLost` unless all of it was written. */
export function print(text: string): Promise<void> {
  return printData(legible(text));
}

/** Prints lines of a file's text, unchanged. */
export function printData(text: string): Promise<void> {
  return write(`${text}\n`);
}

function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(new OutputLost(error));
    });
  });
}

/** Writes a file to standard output unchanged; throws `OutputLost` unless all of it was written. */
export async function printFile(path: string): Promise<void> {
  const chunks = createReadStream(path) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) await write(chunk);
}

export function printJson(value: unknown): Promise<void> {
  return printData(legibleJson(value, 2));
}

export function warn(message: string): void {
  say(`warning: ${message}`);
}

/**
 * Prevents a crash if the reader goes away (`jetway client list | head -1`); `print` still rejects.
 */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
}

function ignore(): void {
  // `write` rejects with the same error.
}
