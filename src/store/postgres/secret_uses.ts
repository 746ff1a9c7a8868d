// Owns the uses of secrets in PostgreSQL, which are written with the sweeps and may be lost in a crash.

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { Keeping } from '../keeping.ts';
import { isNewUseSql, WaitingUses } from '../secret_uses.ts';
import type { RowChanges } from '../verbs/item_rows.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { arrayRows } from './tables.ts';

const columns = arrayRows({ programme: 'text', client: 'text', digest: 'text', used_at: 'bigint' });

const put: Statement = {
  name: 'put_uses',
  // Not where another node wrote one within the hour, or the client was removed.
  text: `INSERT INTO secret_use AS kept (programme, client, digest, used_at)
    SELECT asked.programme, asked.client, asked.digest, asked.used_at FROM ${columns.from('asked')}
    WHERE EXISTS (SELECT FROM registered WHERE kind = 'client'
      AND registered.programme = asked.programme AND registered.id = asked.client)
    ORDER BY 1, 2, 3
    ON CONFLICT (programme, client, digest) DO UPDATE SET used_at = excluded.used_at
      WHERE ${isNewUseSql('kept.used_at', 'excluded.used_at')}`,
  isRead: false,
};

const find: Statement = {
  name: 'find_uses',
  text: 'SELECT digest, used_at FROM secret_use WHERE programme = $1 AND client = $2',
  isRead: true,
};

export interface SecretUses extends Pick<Keeping, 'recordSecretUse' | 'secretUses'> {
  /** See `WaitingUses.setBack`. */
  readonly setBack: (now: Instant) => void;
  /** Forgets the waiting uses of secrets that a change has taken away. */
  readonly written: (changes: RowChanges) => void;
  /**
   * Writes what waits; call it every second.
   * @param until milliseconds of the process; the long span of `care` if left out
   */
  readonly flush: (until?: number) => Promise<void>;
}

export function secretUses(care: Link): SecretUses {
  const waiting = new WaitingUses();
  return {
    recordSecretUse: waiting.record,
    secretUses: async (programme, client) => {
      const rows = await care.run(find, [programme, client]);
      return waiting.besides(rows as unknown as (readonly [Digest, Instant])[], programme, client);
    },
    setBack: (now) => waiting.setBack(now),
    written: ({ usesKept }) => {
      for (const { programme, id, held } of usesKept) {
        waiting.keepOnly(programme, id, held.split(' '));
      }
    },
    flush: async (until) => {
      const uses = waiting.all;
      if (uses.length === 0) return;
      try {
        await care.run(put, columns.values(uses), until);
        waiting.written(uses);
      } catch {
        // They are written with the next sweep.
      }
    },
  };
}
