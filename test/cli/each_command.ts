// Owns running several command lines in one process, one after the other, for tests that ask for
// more refusals than starts of node are worth. Started by command.ts; prints what each printed.

import { runCommand } from '../../src/cli/program.ts';
import type { Ran } from './command.ts';

const write = process.stdout.write.bind(process.stdout);
const lines = JSON.parse(process.argv[2] ?? '[]') as string[][];
const runs: Ran[] = [];
for (const line of lines) {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
      printed[name] += String(chunk);
      const done = rest.at(-1);
      if (typeof done === 'function') (done as () => void)();
      return true;
    };
  }
  runs.push({ code: await runCommand(line), ...printed });
}
write(JSON.stringify(runs));
