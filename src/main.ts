// The entry: hands the command line over to cli/.

import { refuseEnvironment } from './cli/environment.ts';
import { runCommand } from './cli/program.ts';

refuseEnvironment();
process.exitCode = await runCommand(process.argv.slice(2));
