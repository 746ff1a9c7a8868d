// Owns a service manager's part in socket activation for tests: it has sockets that listen, accepts
// nothing itself, and hands them to every server that is started under it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

import { scratchFolder } from './scratch.ts';
import { pythonPath } from './tools.ts';

/** `tcp` for each socket, or `unix`. Gives copies of them to everybody who connects. */
const holder = `
import json, socket, sys
path, *kinds = sys.argv[1:]
sockets = []
for kind in kinds:
    one = socket.socket(socket.AF_UNIX if kind == 'unix' else socket.AF_INET)
    one.bind(f'{path}.{len(sockets)}' if kind == 'unix' else ('127.0.0.1', 0))
    one.listen(4096)
    sockets.append(one)
giver = socket.socket(socket.AF_UNIX)
giver.bind(path)
giver.listen()
print(json.dumps([one.getsockname() for one in sockets]), flush=True)
while True:
    taker, _ = giver.accept()
    socket.send_fds(taker, [b'x'], [one.fileno() for one in sockets])
    taker.close()
`;

/**
 * Puts the sockets from descriptor 3 on, where the channel to the test may stand, and becomes the
 * command. LISTEN_PID is its own, or the given one.
 */
const taker = `
import fcntl, os, socket, sys
path, names, pid, *command = sys.argv[1:]
giver = socket.socket(socket.AF_UNIX)
giver.connect(path)
_, given, _, _ = socket.recv_fds(giver, 1, 16)
aside = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 50) for one in given]
if 'NODE_CHANNEL_FD' in os.environ:
    channel = fcntl.fcntl(int(os.environ['NODE_CHANNEL_FD']), fcntl.F_DUPFD, 40)
    os.environ['NODE_CHANNEL_FD'] = str(channel)
for index, one in enumerate(aside):
    os.dup2(one, 3 + index)
os.environ['LISTEN_FDS'] = str(len(aside))
os.environ['LISTEN_FDNAMES'] = names
os.environ['LISTEN_PID'] = pid or str(os.getpid())
os.execvp(command[0], command)
`;

export interface SocketHolder {
  /** Where each TCP socket listens: `host:port`. */
  readonly addresses: readonly string[];
  /** What runs a server so that it has the sockets, by these names, said to be for process `pid`. */
  readonly under: (names: string, pid?: number) => readonly string[];
}

/** Has sockets of these kinds until the test ends. */
export async function holdSockets(
  t: TestContext,
  ...kinds: readonly ('tcp' | 'unix')[]
): Promise<SocketHolder> {
  const path = join(scratchFolder(t, 'holder'), 'socket');
  const child = spawn(pythonPath, ['-c', holder, path, ...kinds], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const names = JSON.parse(line) as readonly (readonly [string, number])[];
  return {
    addresses: names.map(([host, port]) => `${host}:${port}`),
    under: (listeners, pid) => [pythonPath, '-c', taker, path, listeners, String(pid ?? '')],
  };
}
