// Tests of listening on a unix socket: its mode from the first moment, and whose place it takes.

import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { listenAtPath } from '../../src/lib/unix_socket.ts';
import { scratchFolder } from '../support/scratch.ts';

test('a socket has its mode at once, and files that are made meanwhile have theirs', async (t) => {
  const path = join(scratchFolder(t, 'socket'), 'a.socket');
  const mask = process.umask(0o022);
  t.after(() => process.umask(mask));
  const server = createServer();
  t.after(() => server.close());
  const seen: (readonly [number, number])[] = [];
  // Another task, before the one that listens goes on.
  server.once('listening', () => seen.push([process.umask(0o022), statSync(path).mode & 0o777]));
  await listenAtPath(server, path, 0o600);
  assert.deepEqual(seen, [[0o022, 0o600]]);
});

test('takes no place of a server that answers, nor of a file that is no socket', async (t) => {
  const folder = scratchFolder(t, 'socket');
  const path = join(folder, 'a.socket');
  const [one, other] = [createServer(), createServer()];
  t.after(() => one.close());
  await listenAtPath(one, path, 0o600);
  await assert.rejects(listenAtPath(other, path, 0o600), { code: 'EADDRINUSE' });
  writeFileSync(join(folder, 'file'), '');
  await assert.rejects(listenAtPath(other, join(folder, 'file'), 0o600), /no socket is there/);
});
