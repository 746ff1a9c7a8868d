// The socket's mode, that nothing else of the process is made with another mask, and the socket's end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
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
    mkdirSync(join(folder, `turn_${turn}`));
    assert.equal(modeOf(join(folder, `turn_${turn}`)), 0o755);
    await new Promise(setImmediate);
  }
  await listening;
  mkdirSync(join(folder, 'beside'));
  assert.deepEqual(
    [modeOf(join(folder, 'socket')), modeOf(join(folder, 'beside'))],
    [0o600, 0o755],
  );
});

test('nobody connects before the socket has its mode, and its end takes no other socket away', async (t) => {
  const folder = scratchFolder(t, 'socket');
  const path = join(folder, 'a.socket');
  const [one, next] = [createServer(), createServer()];
  const listening = listenAtPath(one, path, 0o600);
  for (let turn = 0; !one.listening && turn < 1000; turn += 1) {
    assert.equal(existsSync(path), false);
    await new Promise(setImmediate);
  }
  await listening;
  assert.deepEqual([modeOf(path), readdirSync(folder)], [0o600, ['a.socket']]);
  rmSync(path);
  await listenAtPath(next, path, 0o600);
  await once(one.close(), 'close');
  assert.equal(modeOf(path), 0o600);
  await once(next.close(), 'close');
  assert.equal(existsSync(path), false);
});

test('needs no right but in the folder of the socket', async (t) => {
  const around = scratchFolder(t, 'socket');
  const folder = join(around, 'own');
  mkdirSync(folder);
  const touched: (string | null)[] = [];
  const watcher = watch(around, (_event, name) => void touched.push(name));
  t.after(() => watcher.close());
  const server = createServer();
  await listenAtPath(server, join(folder, 'socket'), 0o600);
  await once(server.close(), 'close');
  // The watcher is heard by now.
  writeFileSync(join(around, 'last'), '');
  while (!touched.includes('last')) await new Promise(setImmediate);
  assert.deepEqual(
    touched.filter((name) => name !== 'own' && name !== 'last'),
    [],
  );
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
