// The entry: hands the command line over to cli/.

import { runCommand } from './cli/program.ts';

process.exitCode = await runCommand(process.argv.slice(2));
