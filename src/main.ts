// The entry: hands the command line over to cli/.

import { runCommand } from './cli/program.ts';
import { refuseEnvironment } from './cli/server/environment.ts';

refuseEnvironment();
process.exitCode = await runCommand(process.argv.slice(2));
