// Owns reading standard input up to a limit. A secret read here is in no argument list.

import { say } from '../server/ending.ts';
import { wrongUsage } from '../server/exit.ts';

/** Longer than any secret or password, whose own limits are checked later. */
const mostBytesOfLine = 64 * 1024;

/**
 * Reads the only line of standard input, without its line break.
 * @param what names the input in messages: `password`
 * @throws CommandError (usage) for an empty line, several lines, or bytes that are no UTF-8
 */
export async function readLine(what: string): Promise<string> {
  if (process.stdin.isTTY) {
    say(`Type the ${what}, then Enter and Ctrl-D. It is shown as you type.`);
  }
  const line = (await readText(what, mostBytesOfLine)).replace(/\r?\n$/, '');
  if (line === '') throw wrongUsage(`the ${what} on standard input is empty`);
  if (/[\r\n\0]/.test(line))
    throw wrongUsage(`standard input holds more than one line: it must be the ${what} alone`);
  return line;
}

/** @throws CommandError (usage) for more than `mostBytes`, or bytes that are no UTF-8 */
export async function readText(what: string, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes)
      throw wrongUsage(`the ${what} on standard input is longer than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return decode(what, Buffer.concat(chunks));
}

/** Strict: other bytes would become U+FFFD, and the right secret would never match. */
function decode(what: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrongUsage(`the ${what} on standard input is not UTF-8`);
  }
}
