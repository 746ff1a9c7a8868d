// Owns listening on a unix socket: its mode, and taking the place of one that nobody listens at.

import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';

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
  expectSocket(path);
  // Nobody gets at it there before it has its mode. A umask would be one of other threads, too.
  // Not joined: that would take the point away, and make it beside the folder that is ours.
  const folder = mkdtempSync(`${dirname(path)}/.`);
  const place = join(folder, 's');
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place, () => {
        server.off('error', reject);
        resolve();
      });
    });
    chmodSync(place, mode);
    renameSync(place, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { ino } = lstatSync(path);
  // Node removes what it has bound, which has another name by now. The next server may have its own here.
  server.once('close', () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) unlinkSync(path);
  });
}

/** Nobody listens at a socket that is there: a server was killed. */
function expectSocket(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSocket() === false) throw new Error('a file that is no socket is there');
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
