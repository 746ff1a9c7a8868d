// Lines that wait for others when the process ends of a sudden.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const sink = pathToFileURL(join(import.meta.dirname, '../../../src/server/log/sink.ts')).href;

for (const end of ['process.exit(1)', 'throw new Error("a crash")']) {
  test(`FAULTS 31: a line that waits for others is not lost to ${end}, on a pipe`, async () => {
    const script = `
      import { standardError } from '${sink}';
      standardError(() => {}).put('a line\\n', false);
      setImmediate(() => { ${end}; });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said = await text(child.stderr);
    assert.equal(said.match(/^a line$/gm)?.length, 1);
  });
}
