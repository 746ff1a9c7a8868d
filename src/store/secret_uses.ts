// Owns the uses of secrets in a process that writes them later: the last use of each, and those not written yet.

import { BoundedMap } from '../lib/bounded_map.ts';
import { allowedDrift, type Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { Keeping } from './keeping.ts';

/** Milliseconds after a recorded use of a secret in which no other is recorded. */
const useInterval = 3_600_000;

/**
 * Whether a use of a secret is worth recording beside the last one: once an hour is enough. A use in the
 * future is of a clock that was ahead (FAULTS 33).
 */
function isNewUse(last: Instant | undefined, now: Instant): boolean {
  return last === undefined || now - last >= useInterval || last - now > allowedDrift;
}

/** The same as SQL over the times of the kept use and of the new one. */
export function isNewUseSql(last: string, now: string): string {
  return `(${now} - ${last} >= ${useInterval} OR ${last} - ${now} > ${allowedDrift})`;
}

/** A row of the table `secret_use`. */
interface SecretUse {
  readonly programme: ProgrammeId;
  readonly client: ClientId;
  readonly digest: Digest;
  readonly used_at: Instant;
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
      if (this.#waiting.get(name) === use) this.#waiting.delete(name);
    }
  }
}

function nameOf({ programme, client, digest }: SecretUse): string {
  return `${programme}\0${client}\0${digest}`;
}
