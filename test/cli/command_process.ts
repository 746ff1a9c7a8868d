// Owns a process that runs one command line after another, each as if alone: a start of node costs ten
// times what most commands do. Started by command.ts, which it tells how each command ended.

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { runCommand } from '../../src/cli/program.ts';
// First: what is loaded after it goes by its time.
import { moveTime } from '../support/shifted_time.ts';
import type { CommandRequest, Ran } from './command.ts';

async function run({ folder, args, input, time }: CommandRequest): Promise<Ran> {
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      printed[name].push(Buffer.from(chunk as Uint8Array));
      const done = rest.at(-1);
      if (typeof done === 'function') (done as () => void)();
      return true;
    };
  }
  const stdin = Readable.from([Buffer.from(input, 'base64')]);
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  process.chdir(folder);
  const before = process.getActiveResourcesInfo().length;
  const { passed = 0, ahead = 0 } = time;
  moveTime({ passed, ahead });
  const code = await runCommand(args);
  await untilIdle(before);
  moveTime({ passed: -passed, ahead: -ahead });
  // The test may remove its folder now.
  process.chdir('/');
  const [stdout = '', stderr = ''] = [printed.stdout, printed.stderr].map((chunks) =>
    Buffer.concat(chunks).toString(),
  );
  return { code, stdout, stderr };
}

/** Waits until a process would end that had run this command alone; throws where it would not. */
async function untilIdle(before: number): Promise<void> {
  for (let looks = 0; process.getActiveResourcesInfo().length > before; looks += 1) {
    if (looks > 500) throw new Error(`still at work: ${process.getActiveResourcesInfo().join()}`);
    await sleep(looks);
  }
}

process.on('message', (request) => {
  void run(request as CommandRequest).then((ran) => process.send?.(ran));
});
process.on('disconnect', () => process.exit());
