// Owns the time that the file store has recorded: clocks behind it cannot be right.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../lib/clock.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { Store } from './contract.ts';

/** The verbs of recorded time. */
export function fileTime(
  database: DatabaseSync,
  queue: CommitQueue,
): Pick<Store, 'recordedTime' | 'recordTime'> {
  const select = database.prepare(`SELECT value FROM meta WHERE name = 'recorded_time'`);
  const raise = database.prepare(
    `INSERT INTO meta (name, value) VALUES ('recorded_time', ?)
     ON CONFLICT DO UPDATE SET value = excluded.value
     WHERE CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER)`,
  );
  return {
    recordedTime: () =>
      queue.read(() => {
        const row = select.get();
        return row === undefined ? undefined : (Number(row['value']) as Instant);
      }),
    recordTime: (now) => queue.write(() => void raise.run(String(now))),
  };
}
