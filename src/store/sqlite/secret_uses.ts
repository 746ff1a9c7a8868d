// Owns the uses of secrets in the file store, which are written within the commits of other verbs.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Keeping } from '../keeping.ts';
import { isNewUseSql, WaitingUses } from '../secret_uses.ts';
import type { RowChanges } from '../verbs/item_rows.ts';
import type { TransactionHook } from './commits/transactions.ts';

/** Uses of secrets, in this process and in the file. */
export interface SecretUses extends TransactionHook {
  readonly record: Keeping['recordSecretUse'];
  /** By digest, with the uses that are not written yet. */
  readonly of: (programme: ProgrammeId, id: ClientId) => ReadonlyMap<Digest, Instant>;
  /** See `WaitingUses.setBack`, also for those that are written; call it inside a write. */
  readonly setBack: (now: Instant) => void;
  /** Forgets the waiting uses of secrets that a change has taken away. */
  readonly written: (changes: RowChanges) => void;
}

export function fileSecretUses(database: DatabaseSync): SecretUses {
  const select = database.prepare(
    'SELECT digest, used_at FROM secret_use WHERE programme = ? AND client = ?',
  );
  select.setReturnArrays(true);
  // Not where another process wrote a use within the hour, or the client was removed.
  const put = database.prepare(
    `INSERT INTO secret_use (programme, client, digest, used_at)
     SELECT $programme, $client, $digest, $used_at WHERE EXISTS (
       SELECT 1 FROM registered WHERE kind = 'client' AND programme = $programme AND id = $client)
     ON CONFLICT DO UPDATE SET used_at = excluded.used_at
     WHERE ${isNewUseSql('used_at', 'excluded.used_at')}`,
  );
  const lower = database.prepare('UPDATE secret_use SET used_at = ?1 WHERE used_at > ?1');
  const waiting = new WaitingUses();
  let uncommitted: WaitingUses['all'] = [];
  return {
    record: waiting.record,
    of: (programme, id) => {
      const rows = select.all(programme, id) as unknown as (readonly [Digest, Instant])[];
      return waiting.besides(rows, programme, id);
    },
    setBack: (now) => {
      lower.run(now);
      waiting.setBack(now);
    },
    written: ({ usesKept }) => {
      for (const { programme, id, held } of usesKept) {
        waiting.keepOnly(programme, id, held.split(' '));
      }
    },
    beforeCommit: () => {
      uncommitted = waiting.all;
      for (const use of uncommitted) put.run({ ...use });
    },
    committed: () => waiting.written(uncommitted),
  };
}
