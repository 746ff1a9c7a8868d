// Owns what tests of moving the log share: a store as a server has it, and looking at what it does.

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

import { type FileStore, openFileStore } from '../../src/store/sqlite/store.ts';
import { inParallel, loginNamed } from './fixtures.ts';
import { fillLog, logOf, pagesOf } from './log_length.ts';

/** A small one: it is full after some commits. */
export const reserve: number = 1024 * 1024;

export interface Server {
  readonly store: FileStore;
  readonly log: ReturnType<typeof logOf>;
  readonly fatal: readonly string[];
  /** Saves logins by one commit. */
  readonly save: (count: number) => Promise<void>;
  /** Makes the log long enough to be moved, by one commit. */
  readonly fill: () => Promise<void>;
  /** Writes until the log begins again, which it does once all of it was moved. */
  readonly turnOver: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Logins so far: each has a name of its own. */
let saved = 0;

/** A store as a server has it. */
export function serve(path: string, bytes: number = reserve): Server {
  const fatal: string[] = [];
  const store = openFileStore({
    path,
    environment: 'staging',
    reserve: bytes,
    onFatal: ({ message }) => void fatal.push(message),
  });
  const log = logOf(path);
  const due = pagesOf(bytes) / 2;
  const save = async (count: number): Promise<void> => {
    await inParallel(count, () => store.startLogin(loginNamed(`login ${saved++}`)));
  };
  const fill = async (): Promise<void> => {
    // A look at the log's length is not made after every commit.
    await sleep(5);
    await fillLog(store, `filler ${saved++}`);
  };
  const turnOver = async (): Promise<void> => {
    for (let last = 0; ;) {
      await save(1);
      const { log: now } = log.length();
      if (now < last) return;
      last = now;
      if (now >= due) await sleep(1);
    }
  };
  const end = async (): Promise<void> => {
    log.close();
    await store.close();
  };
  return { store, log, fatal, save, fill, turnOver, end };
}

/** Threads that begin while `body` runs. */
export async function threadsIn(body: () => Promise<void>): Promise<readonly Worker[]> {
  const begun: Worker[] = [];
  const note = (worker: Worker): void => void begun.push(worker);
  process.on('worker', note);
  try {
    await body();
    // It is begun once the replies are out, and told of after that.
    for (let turns = 0; turns < 3; turns += 1) await turn();
  } finally {
    process.off('worker', note);
  }
  return begun;
}

/** Whether all of the log is in the file; it stays there until the next commit. */
export function isMoved({ log }: Server): boolean {
  const { log: pages, checkpointed } = log.length();
  return pages > 0 && pages === checkpointed;
}

/** What this process has open of the store. */
export function descriptorsOf(path: string): readonly string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const name = readlinkSync(`/proc/self/fd/${descriptor}`);
      return name.startsWith(path) ? name : [];
    } catch {
      // That of the listing itself.
      return [];
    }
  });
}
