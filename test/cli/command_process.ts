// Owns a process that runs one command line after another, each as if alone: a start of node costs ten
// times what most commands do. Started by command.ts, which it tells how each command ended.

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { runCommand } from '../../src/cli/program.ts';
// First: what is loaded after it goes by its time.
import { moveTime } from '../support/shifted_time.ts';
import type { CommandRequest, Meanwhile, Ran } from './command.ts';

async function run({ folder, args, input, time, meanwhile }: CommandRequest): Promise<Ran> {
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let late = meanwhile;
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      printed[name].push(Buffer.from(chunk as Uint8Array));
      const done = rest.at(-1) as ((error?: Error) => void) | undefined;
      if (name === 'stdout' && late !== undefined && typeof done === 'function') {
        const others = late;
        late = undefined;
        const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
        void runAll(others, broken, done);
      } else if (typeof done === 'function') done();
      return true;
    };
  }
  giveInput(Buffer.from(input, 'base64'));
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

function giveInput(input: string | Buffer): void {
  const stdin = Readable.from([Buffer.from(input as string)]);
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
}

/** Then has the write fail with the error, or with another if a command line has failed. */
async function runAll(
  lines: readonly Meanwhile[],
  broken: Error,
  done: (error: Error) => void,
): Promise<void> {
  for (const { args, input = '' } of lines) {
    giveInput(input);
    const code = await runCommand(args);
    if (code !== 0) return done(new Error(`jetway ${args.join(' ')} ended with ${code}`));
  }
  done(broken);
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
