// Owns the errors for a store that its operator has to mend; outages that pass are `Unavailable`.

import type { ProgrammeId } from '../oauth/client.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { Kind } from './kinds.ts';

/** The hint for a damaged file. */
export const restoreHint = 'restore it from a backup (jetway store restore); it was left as it is';

/**
 * The store cannot be used as it is configured: wrong environment, newer schema, damaged or foreign
 * file. Waiting does not help; commands end with exit code 4.
 */
export class StoreUnusable extends Error {
  /** What the operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnusable';
    this.hint = hint;
  }
}

/** The message says why the master key cannot be used, and what to do. */
export class MasterKeyUnusable extends Error {
  override readonly name = 'MasterKeyUnusable';
}

/** The error for a file that is not what was written. */
export function damagedStore(path: string, found: string, options?: ErrorOptions): StoreUnusable {
  return new StoreUnusable(`store ${path} is damaged: ${found}`, restoreHint, options);
}

/**
 * A registered thing whose row does not fit its sum: no answer about it would be true (G-22). It can be
 * removed (FAULTS 36). Without the record: what is known of it is its name.
 */
export class DamagedItem extends Unavailable {
  readonly kind: Kind;
  readonly programme: ProgrammeId;
  readonly id: string;

  constructor(kind: Kind, programme: ProgrammeId, id: string) {
    super(`store: the ${kind.replace('_', ' ')} ${id} of ${programme} is damaged`);
    this.kind = kind;
    this.programme = programme;
    this.id = id;
  }
}

/** The servers of the store answer, and refuse this one: another try finds the same. */
export class TurnedAway extends Unavailable {
  /** Whether it is as an outage all the same: something was in the way that goes by itself. */
  readonly passes: boolean = false;
}

/** Whether the store was not reached, and may be later without anything that its operator does to it. */
export function mayAnswerLater(error: unknown): error is Unavailable {
  if (error instanceof TurnedAway) return error.passes;
  if (error instanceof DamagedItem || error instanceof StoreFailed) return false;
  return error instanceof Unavailable;
}

/** What is done about a damaged thing among others. */
export type OnDamage = (damage: DamagedItem) => void;

/** Refuses the whole answer. */
export const refuseDamage: OnDamage = (damage) => {
  throw damage;
};

/** The disk failed or the file is damaged under an open store: neither time nor another try helps. */
export class StoreFailed extends Unavailable {}
