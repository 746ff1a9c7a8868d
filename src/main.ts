// The entry: runs the command line.

import { exitCodes } from './cli/exit.ts';
import { runCommand } from './cli/program.ts';

async function main(): Promise<void> {
  // The code of a process that ends before its command has.
  process.exitCode = exitCodes.failed;
  process.exitCode = await runCommand(process.argv.slice(2));
}

void main();
