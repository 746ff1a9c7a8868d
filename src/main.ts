// The entry: runs the command line.

import { runCommand } from './cli/program.ts';
import { exitCodes } from './server/exit.ts';

async function main(): Promise<void> {
  // The code of a process that ends before its command has.
  process.exitCode = exitCodes.failed;
  process.exitCode = await runCommand(process.argv.slice(2));
}

void main();
