// Owns what verbs print: data on standard output, everything else on standard error.

import { createReadStream } from 'node:fs';

import { legibleJson, spellOut } from '../lib/fault.ts';

/** Options of a verb that prints data. */
export interface OutputOptions {
  readonly json?: boolean;
}

/** Nobody reads standard output any more, or it has no room; the code says which. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost';
  readonly code: string;

  constructor(cause: NodeJS.ErrnoException) {
    super(`standard output cannot be written to (${cause.code ?? cause.message})`, { cause });
    this.code = cause.code ?? '';
  }
}

/** Prints lines of text for people; throws `OutputLost` unless all of it was taken. */
export function print(text: string): Promise<void> {
  return printData(legible(text));
}

/** Prints lines of text that are a file's, as they are. */
export function printData(text: string): Promise<void> {
  return write(`${text}\n`);
}

/** Lines of text in which nothing moves a terminal's cursor, whatever files are called (HOSTILE 66). */
function legible(text: string): string {
  return text.split('\n').map(spellOut).join('\n');
}

/** Says lines of text on standard error. */
export function say(text: string): void {
  console.error(legible(text));
}

function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(new OutputLost(error));
    });
  });
}

/** Writes a file to standard output as it is; throws `OutputLost` unless all of it was taken. */
export async function printFile(path: string): Promise<void> {
  const chunks = createReadStream(path) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) await write(chunk);
}

/** Prints a value as JSON, for programs. */
export function printJson(value: unknown): Promise<void> {
  return printData(legibleJson(value, 2));
}

/** Says something on standard error that the data on standard output does not hold. */
export function warn(message: string): void {
  say(`warning: ${message}`);
}

/**
 * Keeps a reader that went away (`jetway client list | head -1`) from ending the process with a
 * stack; `print` still hears of it.
 */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
}

function ignore(): void {
  // Whoever wrote was told already.
}
