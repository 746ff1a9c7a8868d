// The socket's mode, and that nothing else of the process is made with its mask.

import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { listenAtPath } from '../../src/lib/unix_socket.ts';
import { scratchFolder } from '../support/scratch.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('what is made while a socket begins to listen has the mode of the process', async (t) => {
  const folder = scratchFolder(t, 'socket');
  const before = process.umask(0o022);
  t.after(() => process.umask(before));
  const server = createServer();
  t.after(() => server.close());
  const listening = listenAtPath(server, join(folder, 'socket'), 0o600);
  // At each step of it.
  for (let turn = 0; !server.listening && turn < 1000; turn += 1) {
    assert.equal(process.umask(0o022), 0o022);
    await new Promise(setImmediate);
  }
  await listening;
  mkdirSync(join(folder, 'beside'));
  assert.deepEqual(
    [modeOf(join(folder, 'socket')), modeOf(join(folder, 'beside'))],
    [0o600, 0o755],
  );
});
