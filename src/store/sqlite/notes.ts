// Owns the uses of secrets in the file store, which are written within the commits of other verbs.

import type { DatabaseSync } from 'node:sqlite';

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import { isNewUse } from '../judgement.ts';
import type { TransactionHook } from './commits/transactions.ts';

/** Uses of secrets, in this process and in the file. */
export interface SecretUses extends TransactionHook {
  readonly record: (programme: ProgrammeId, id: ClientId, secret: Digest, now: Instant) => void;
  /** By digest, with the uses that are not written yet. */
  readonly of: (programme: ProgrammeId, id: ClientId) => ReadonlyMap<Digest, Instant>;
  /** Forgets all others of a client; call it inside a write. */
  readonly keepOnly: (programme: ProgrammeId, id: string, held: readonly Digest[]) => void;
}

interface Use {
  readonly programme: ProgrammeId;
  readonly id: ClientId;
  readonly secret: Digest;
  readonly usedAt: Instant;
}

/** Secret uses over the file; each is written at most once an hour. */
export function fileSecretUses(database: DatabaseSync): SecretUses {
  const select = database.prepare(
    'SELECT digest, used_at FROM secret_use WHERE programme = ? AND client = ?',
  );
  const put = useWriter(database);
  const drop = database.prepare(
    `DELETE FROM secret_use WHERE programme = ? AND client = ?
     AND digest NOT IN (SELECT value FROM json_each(?))`,
  );
  /** The last use of each secret in this process, so that most uses cost one map look-up. */
  const known = new Map<string, Instant>();
  const waiting = new Map<string, Use>();
  return {
    record: (programme, id, secret, usedAt) => {
      const name = `${programme}\0${id}\0${secret}`;
      if (!isNewUse(known.get(name), usedAt)) return;
      known.set(name, usedAt);
      waiting.set(name, { programme, id, secret, usedAt });
    },
    of: (programme, id) => {
      const rows = select.all(programme, id) as unknown as { digest: Digest; used_at: Instant }[];
      const uses = new Map(rows.map((row) => [row.digest, row.used_at]));
      for (const use of waiting.values()) {
        if (use.programme !== programme || use.id !== id) continue;
        if (isNewUse(uses.get(use.secret), use.usedAt)) uses.set(use.secret, use.usedAt);
      }
      return uses;
    },
    keepOnly: (programme, id, held) => {
      drop.run(programme, id, JSON.stringify(held));
      for (const [name, use] of waiting) {
        const gone = use.programme === programme && use.id === id && !held.includes(use.secret);
        if (gone) waiting.delete(name);
      }
    },
    beforeCommit: () => {
      for (const use of waiting.values()) put(use);
    },
    committed: () => waiting.clear(),
  };
}

/** Writes a use unless another process wrote one within the hour, or the client was removed. */
function useWriter(database: DatabaseSync): (use: Use) => void {
  const upsert = database.prepare(
    `INSERT INTO secret_use (programme, client, digest, used_at)
     SELECT $programme, $id, $secret, $usedAt
     WHERE EXISTS (SELECT 1 FROM registered WHERE kind = 'client' AND programme = $programme AND id = $id)
     ON CONFLICT DO UPDATE SET used_at = excluded.used_at
     WHERE excluded.used_at - used_at >= 3600000`,
  );
  return (use) => void upsert.run({ ...use });
}
