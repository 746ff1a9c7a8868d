// Owns listening on a unix socket: its mode, and taking the place of one that nobody listens at.

import { once } from 'node:events';
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';

/**
 * Listens at the path.
 *
 * @param mode who may connect, such as 0o600
 * @throws with the code `EADDRINUSE` where a server answers there, and for anything but a socket
 */
export async function listenAtPath(server: Server, path: string, mode: number): Promise<void> {
  if (await isAnswered(path)) {
    throw Object.assign(new Error('another server has it'), { code: 'EADDRINUSE' });
  }
  unlinkStale(path);
  const listening = once(server, 'listening');
  bindAs(server, path, mode);
  await listening;
  chmodSync(path, mode);
}

/** Node binds within the call: no file that another task makes meanwhile gets this mask. */
function bindAs(server: Server, path: string, mode: number): void {
  const mask = process.umask(0o777 & ~mode);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
}

/** Nobody listens at what is there: a server was killed. */
function unlinkStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('a file that is no socket is there');
  unlinkSync(path);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
