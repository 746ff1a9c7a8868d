// Owns a service manager's socket for tests: it hears what processes tell of themselves.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { scratchFolder } from './scratch.ts';
import { pythonPath } from './tools.ts';

/** Node has no datagrams on unix sockets. A descriptor that comes with one is closed unread. */
const receiver = `
import json, socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1])
print(flush=True)
while True:
    print(json.dumps(heard.recv(65536).decode()), flush=True)
`;

export interface NotifySocket {
  /** What NOTIFY_SOCKET is set to. */
  readonly path: string;
  /** Every message so far, but for those by which `systemd-notify` waits for the ones before. */
  readonly heard: readonly string[];
}

/** Listens until the test ends. */
export async function openNotifySocket(t: TestContext): Promise<NotifySocket> {
  const path = join(scratchFolder(t, 'notify'), 'socket');
  const child = spawn(pythonPath, ['-c', receiver, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const heard: string[] = [];
  await once(lines, 'line');
  lines.on('line', (line) => {
    const message = JSON.parse(line) as string;
    if (message !== 'BARRIER=1') heard.push(message);
  });
  return { path, heard };
}
