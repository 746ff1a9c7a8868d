// Owns the uses of secrets: a process writes them later, within commits that it needs anyway.

import { BoundedMap } from '../../lib/bounded_map.ts';
import { allowedDrift, type Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Keeping } from '../keeping.ts';
import type { Db } from '../sql/db.ts';
import { insertText, statement } from '../sql/statement.ts';
import type { RowOf } from '../sql/table.ts';
import { secretUses } from '../sql/tables.ts';
import type { RowChanges } from './item_rows.ts';

/** Milliseconds after a recorded use of a secret in which no other is recorded. */
const useInterval = 3_600_000;

/**
 * Whether a use of a secret is worth recording beside the last one: once an hour is enough. A use in the
 * future is of a clock that was ahead (FAULTS 33).
 */
function isNewUse(last: Instant | undefined, now: Instant): boolean {
  return last === undefined || now - last >= useInterval || last - now > allowedDrift;
}

const { columns } = secretUses;

const find = statement(
  'find_use',
  columns,
  'SELECT digest, used_at FROM secret_use WHERE programme = :programme AND client = :client',
);

const put = statement(
  'put_use',
  columns,
  // Not where another process wrote a use within the hour (see `isNewUse`), or the client was removed.
  insertText(
    secretUses,
    `ON CONFLICT (programme, client, digest) DO UPDATE SET used_at = excluded.used_at
      WHERE excluded.used_at - secret_use.used_at >= ${useInterval}
        OR secret_use.used_at - excluded.used_at > ${allowedDrift}`,
    `EXISTS (SELECT 1 FROM registered WHERE kind = 'client'
      AND registered.programme = :programme AND registered.id = :client)`,
  ),
  { row: ['programme', 'client', 'digest'] },
);

type SecretUse = RowOf<typeof secretUses>;

interface UseVerbs extends Pick<Keeping, 'recordSecretUse' | 'secretUses'> {
  /** See `WaitingUses.setBack`. */
  readonly setBack: (now: Instant) => void;
  /** Forgets the waiting uses of secrets that a change has taken away. */
  readonly written: (changes: RowChanges) => void;
}

export function useVerbs(db: Db): UseVerbs {
  const waiting = new WaitingUses();
  const read = db.bulkReader(find, (rows) => rows as readonly (readonly [Digest, Instant])[]);
  db.noter(put, {
    waiting: () => waiting.all.map((use) => ({ ...use })),
    written: (uses) => waiting.written(uses as readonly SecretUse[]),
  });
  return {
    recordSecretUse: waiting.record,
    secretUses: async (programme, client) => {
      const [written = []] = await read([{ programme, client }]);
      return waiting.besides(written, programme, client);
    },
    setBack: (now) => waiting.setBack(now),
    written: ({ usesKept }) => {
      for (const { programme, id, held } of usesKept) {
        waiting.keepOnly(programme, id, held.split(' '));
      }
    },
  };
}

/** Secrets in use within an hour; a use of one more is written at its next use. */
const mostKnown = 30_000;

export class WaitingUses {
  /** The last uses of secrets in this process, so that most uses cost one map look-up. */
  readonly #known = new BoundedMap<string, Instant>(mostKnown);
  readonly #waiting = new Map<string, SecretUse>();

  readonly record: Keeping['recordSecretUse'] = (programme, client, digest, used_at) => {
    const use = { programme, client, digest, used_at };
    const name = nameOf(use);
    if (!isNewUse(this.#known.get(name), used_at)) return;
    this.#known.set(name, used_at);
    this.#waiting.set(name, use);
  };

  /** Those that are not written yet. */
  get all(): readonly SecretUse[] {
    return [...this.#waiting.values()];
  }

  /** The uses of a client that are `written`, and those that are not. */
  besides(
    written: Iterable<readonly [Digest, Instant]>,
    programme: ProgrammeId,
    client: ClientId,
  ): ReadonlyMap<Digest, Instant> {
    const uses = new Map(written);
    for (const use of this.#waiting.values()) {
      if (use.programme !== programme || use.client !== client) continue;
      if (isNewUse(uses.get(use.digest), use.used_at)) uses.set(use.digest, use.used_at);
    }
    return uses;
  }

  /** Forgets the waiting uses of other secrets of a client than those that it still has. */
  keepOnly(programme: string, client: string, held: readonly string[]): void {
    for (const [name, use] of this.#waiting) {
      const isOf = use.programme === programme && use.client === client;
      if (isOf && !held.includes(use.digest)) this.#waiting.delete(name);
    }
  }

  /** Uses later than `now` are of a clock that was ahead: they count as of `now` (FAULTS 33). */
  setBack(now: Instant): void {
    for (const [name, use] of this.#waiting) {
      if (use.used_at > now) this.#waiting.set(name, { ...use, used_at: now });
    }
  }

  /** These are written. */
  written(uses: readonly SecretUse[]): void {
    for (const use of uses) {
      const name = nameOf(use);
      if (this.#waiting.get(name)?.used_at === use.used_at) this.#waiting.delete(name);
    }
  }
}

function nameOf({ programme, client, digest }: SecretUse): string {
  return `${programme}\0${client}\0${digest}`;
}
