// Tests of commands to a server that stands still, which are told so in time.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { usualLog } from '../../src/config/log_keys.ts';
import { instant } from '../../src/lib/clock.ts';
import { openControl } from '../../src/server/control.ts';
import { openLog } from '../../src/server/log_writer.ts';
import { viewReload } from '../../src/server/status.ts';
import { jetway, workFolder } from '../cli/command.ts';
import { operate, told } from './operated.ts';

test('no command waits for a server that stands still; a reload is waited for while it is under way', async (t) => {
  const slow = workFolder(t);
  const view = viewReload({ at: instant(0), programmes: [], settings: [], faults: [] });
  const log = openLog();
  log.follow({ ...usualLog, level: 'error' });
  mkdirSync(join(slow, 'data'));
  const control = await openControl(
    join(slow, 'data/jetway.db.control'),
    { 'POST /reload': () => sleep(6000, view) },
    log,
  );
  t.after(() => control.close());
  const reloading = jetway(slow, ['reload']);
  const { folder, server } = await operate(t, told);
  server.child.kill('SIGSTOP');
  t.after(() => server.child.kill('SIGCONT'));
  const lines = [['status'], ['why', '7Q2M0ZK4T9XB'], ['reload'], ['healthcheck']];
  for (const { code, stdout, stderr } of await Promise.all(
    lines.map((args) => jetway(folder, args)),
  )) {
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^(?:the server does not answer at \S+\.control|nothing tells of its health at \S+ \(admin\)): nothing came within 5 s: it stands still or has too much to do/,
    );
  }
  const done = { code: 0, stdout: '0 of 0 programmes unchanged\n', stderr: '' };
  assert.deepEqual(await reloading, done);
});
