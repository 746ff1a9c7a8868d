// The entry: runs the command line.

import { runCommand } from './cli/program.ts';
import { refuseEnvironment } from './cli/server/process.ts';

refuseEnvironment();
process.exitCode = await runCommand(process.argv.slice(2));
