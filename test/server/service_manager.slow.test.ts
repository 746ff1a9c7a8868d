// Owns what a service manager is told of a running server, by the `systemd-notify` that Debian has.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { workFolder } from '../cli/command.ts';
import { startServer } from '../cli/server.ts';
import { eventLines } from '../support/log_lines.ts';
import { openNotifySocket } from '../support/notify_socket.ts';
import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';

const alive = 'WATCHDOG=1';

describe('a server under a service manager', { skip: without('python3', 'systemd-notify') }, () => {
  test('says that it is ready, reloads and stops, in this order', async (t) => {
    const { path, heard } = await openNotifySocket(t);
    const server = await startServer(t, workFolder(t), { env: { NOTIFY_SOCKET: path } });
    const ready = `READY=1\nSTATUS=1 of 1 programmes at ${server.url}`;
    await until(() => heard.length === 1);
    const before = process.hrtime.bigint() / 1000n;
    server.child.kill('SIGHUP');
    await until(() => heard.length === 3);
    assert.equal(await server.end('SIGTERM'), 0);
    await until(() => heard.length === 4);
    const [, micros = ''] = /^RELOADING=1\nMONOTONIC_USEC=(\d+)$/.exec(heard[1] ?? '') ?? [];
    assert.deepEqual(heard, [ready, `RELOADING=1\nMONOTONIC_USEC=${micros}`, ready, 'STOPPING=1']);
    // By CLOCK_MONOTONIC, which all processes share, and not before the signal.
    assert.ok(BigInt(micros) >= before);
    const events = eventLines(server.printed().stderr)
      .join()
      .match(/"event":"\w+"/g);
    assert.deepEqual(events, ['"event":"reloaded"']);
  });

  test('FAULTS 21: says that it turns while its event loop does, and nothing while that is blocked', async (t) => {
    const { path, heard } = await openNotifySocket(t);
    const folder = workFolder(t);
    const pings = (): number => heard.filter((message) => message === alive).length;
    const server = await startServer(t, folder, {
      env: { NOTIFY_SOCKET: path, WATCHDOG_USEC: '400000' },
      preload: ['test/faults/blocked_loop.ts'],
    });
    await until(() => pings() >= 2);
    server.child.kill('SIGWINCH');
    await until(() => existsSync(join(folder, 'blocked')));
    const before = pings();
    await sleep(2000);
    // One may have been on its way.
    assert.ok(pings() <= before + 1, `${pings() - before} while it was blocked`);
    writeFileSync(join(folder, 'released'), '');
    await until(() => pings() >= before + 3);
    assert.equal(await server.end('SIGTERM'), 0);
  });

  test('a watchdog for another process is left to that one', async (t) => {
    const { path, heard } = await openNotifySocket(t);
    const server = await startServer(t, workFolder(t), {
      env: { NOTIFY_SOCKET: path, WATCHDOG_USEC: '20000', WATCHDOG_PID: '1' },
    });
    await until(() => heard.length === 1);
    await sleep(500);
    assert.equal(await server.end('SIGTERM'), 0);
    await until(() => heard.includes('STOPPING=1'));
    assert.equal(heard.includes(alive), false);
  });

  test('a manager that cannot be told is logged once, and the server goes on', async (t) => {
    const detailOf = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const socket = join(scratchFolder(t, 'nobody'), 'socket');
      const server = await startServer(t, workFolder(t), {
        env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '20000', ...env },
      });
      await until(() => server.printed().stderr !== '');
      await sleep(500);
      assert.equal(await server.end('SIGTERM'), 0);
      const { event, detail } = JSON.parse(server.printed().stderr) as Record<string, string>;
      assert.equal(event, 'service_manager_not_told');
      return detail ?? '';
    };
    assert.equal(await detailOf({}), 'Failed to notify init system: No such file or directory');
    assert.equal(await detailOf({ PATH: '/nowhere' }), 'systemd-notify is not on the PATH');
  });

  test('without a service manager no process is started', async (t) => {
    const folder = scratchFolder(t, 'path');
    const notify = join(folder, 'systemd-notify');
    writeFileSync(notify, `#!/bin/sh\n: >${folder}/started\n`);
    chmodSync(notify, 0o755);
    const run = async (more: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const env = { PATH: folder, WATCHDOG_USEC: '20000', ...more };
      const server = await startServer(t, workFolder(t), { env });
      await sleep(500);
      assert.equal(await server.end('SIGTERM'), 0);
      return readdirSync(folder);
    };
    assert.deepEqual(await run({}), ['systemd-notify']);
    assert.deepEqual(await run({ NOTIFY_SOCKET: '/nowhere' }), ['started', 'systemd-notify']);
  });
});
