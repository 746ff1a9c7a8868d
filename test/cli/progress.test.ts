// Owns the promises of progress: people at a terminal see what takes long, and nobody else does.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mock, test } from 'node:test';

import { withProgress } from '../../src/cli/progress.ts';
import { program } from '../support/program.ts';
import { environment, putSecret, root, workFolder } from './command.ts';

const erase = '\r\u001b[K';

/** What a terminal was told while work went on that takes so many milliseconds a step. */
async function told(isTTY: boolean, steps: number, span: number, total?: number) {
  let now = 1000;
  const clock = mock.method(performance, 'now', () => now);
  const written: string[] = [];
  const terminal = { isTTY, write: (part: string) => written.push(part) };
  try {
    const result = await withProgress(
      'hashing',
      total,
      async (step) => {
        for (let done = 0; done < steps; done += 1) {
          now += span;
          step();
        }
        return Promise.resolve('done');
      },
      terminal,
    );
    assert.equal(result, 'done');
    return written;
  } finally {
    clock.mock.restore();
  }
}

test('a line counts once two seconds have passed, and is gone at the end', async () => {
  assert.deepEqual(await told(true, 4, 1000, 4), [
    `${erase}hashing: 2 of 4, 2 s`,
    `${erase}hashing: 3 of 4, 3 s`,
    `${erase}hashing: 4 of 4, 4 s`,
    erase,
  ]);
  assert.deepEqual(await told(true, 1, 2500), [`${erase}hashing: 2 s`, erase]);
  assert.deepEqual(await told(true, 19, 100, 19), []);
  // No more than five times a second.
  assert.equal((await told(true, 1000, 10, 1000)).length, Math.floor(8000 / 200) + 2);
  assert.deepEqual(await told(false, 4, 1000, 4), []);
});

test('work in one part is told of while it goes on', async () => {
  const written: string[] = [];
  let now = 0;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const { promise, resolve } = Promise.withResolvers<void>();
    const write = (part: string): void => {
      written.push(part);
      resolve();
    };
    // The work ends with what is shown of it: the timer alone can bring that about.
    const work = withProgress('copying', undefined, () => promise, { isTTY: true, write });
    now = 61_000;
    await work;
  } finally {
    clock.mock.restore();
  }
  assert.deepEqual(written, [`${erase}copying: 61 s`, erase]);
});

test('a member import tells people how far it is; a log of it has the outcome alone', async (t) => {
  const folder = workFolder(t);
  putSecret(folder, 'members.csv', 'username,password\nann,correct horse\nbob,battery staple\n');
  const run = async (...modules: readonly string[]) => {
    const imports = modules.flatMap((name) => ['--import', join(root, 'test/cli', name)]);
    const verb = ['member', 'import', 'members.csv', '--programme', 'club'];
    const child = spawn(process.execPath, [...imports, program, ...verb], {
      cwd: folder,
      env: environment,
    });
    return Promise.all([text(child.stdout), text(child.stderr)]);
  };
  const [stdout, stderr] = await run('hasty_terminal.ts');
  assert.equal(stdout, '2 members are imported into club\n');
  const [, ...shown] = stderr.split(erase);
  assert.match(shown[0] ?? '', /^looking for members in the store: \d of 2, \d+ s$/);
  assert.match(shown.at(-2) ?? '', /^importing members: 2 of 2, \d+ s$/);
  assert.ok(stderr.endsWith(erase));
  const again = '0 members are imported into club; 2 of the file are in the store already\n';
  assert.deepEqual(await run(), [again, '']);
});
