// Owns store files as a process leaves them that was killed at its work, and looking into them.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { randomKey } from '../../src/lib/random.ts';
import { tables } from '../../src/store/sql/tables.ts';

/**
 * Lets a process write to a store until its acknowledgements make up `bytes`, and kills it; returns
 * the names of the logins that it had acknowledged (`loginNamed`).
 */
export async function killedWriter(path: string, bytes: number): Promise<string[]> {
  const script = new URL('./contender.ts', import.meta.url);
  const child = fork(script, [path, randomKey(6)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(child, 'message');
  let told = '';
  const enough = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.length > bytes) resolve();
    });
  });
  child.send('write');
  await enough;
  child.kill('SIGKILL');
  await once(child, 'close');
  // The last line may have been cut off in the middle.
  return told.slice(0, told.lastIndexOf('\n')).split('\n');
}

/** All values that sums cover, as they are in the file. */
export function rowsUnderSums(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    const held = tables.filter(({ summed }) => summed.length > 0);
    return held.map(({ name, summed }) => {
      const columns = summed.join(', ');
      return database.prepare(`SELECT ${columns} FROM ${name} ORDER BY 1, 2, 3`).all();
    });
  } finally {
    database.close();
  }
}

export function removeSidecars(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}
