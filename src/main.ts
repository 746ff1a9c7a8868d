// The entry: runs the command line.

import { writeFileSync } from 'node:fs';

import { runCommand } from './cli/program.ts';
import { exitCodes } from './server/exit.ts';

async function main(): Promise<void> {
  nameProcess();
  // The code of a process that ends before its command has.
  process.exitCode = exitCodes.failed;
  process.exitCode = await runCommand(process.argv.slice(2));
}

/** As `pgrep -x jetway` looks for it: node calls its main thread otherwise. Arguments stay as they are. */
function nameProcess(): void {
  try {
    writeFileSync('/proc/self/comm', 'jetway');
  } catch {
    // Only for people.
  }
}

void main();
