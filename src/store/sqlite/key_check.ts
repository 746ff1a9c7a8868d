// Owns the file store's word on which master key it belongs to.

import type { DatabaseSync } from 'node:sqlite';

import type { Store } from '../contract.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { oldestSigningKey } from './signing_keys.ts';

/** The verb that keeps the check. */
export function fileKeyCheck(
  database: DatabaseSync,
  queue: CommitQueue,
): Pick<Store, 'ensureKeyCheck'> {
  const select = database.prepare(`SELECT value FROM meta WHERE name = 'key_check'`);
  const insert = database.prepare(`INSERT INTO meta (name, value) VALUES ('key_check', ?)`);
  const oldest = oldestSigningKey(database);
  const kept = (): string | undefined => select.get()?.['value'] as string | undefined;
  return {
    async ensureKeyCheck(candidate, opens) {
      const found = await queue.read(kept);
      if (found !== undefined) return found;
      return queue.writeFromReserve(() => {
        const standing = kept();
        if (standing !== undefined) return standing;
        const key = oldest();
        if (key !== undefined && !opens(key)) return undefined;
        insert.run(candidate);
        return candidate;
      });
    },
  };
}
