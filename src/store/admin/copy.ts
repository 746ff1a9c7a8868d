// Owns copying a whole store into another place, codes and logins too, so that exactly one of the two can
// be opened at any time, wherever the copy is cut off (docs/decisions/043).

import { randomKey } from '../../lib/random.ts';
import type { Environment } from '../contract.ts';
import { damagedStore, StoreUnusable } from '../unusable.ts';
import { carryStore, type Counts, everything } from './carry.ts';
import { factsOf, putMeta, type StoreFacts } from './facts.ts';
import type { Place } from './place.ts';
import { damageOf } from './report.ts';

/** The mark of a store that was left. */
export interface Move {
  /** Of this copy: by it the place that the store was moved to is known again. */
  readonly id: string;
  /** How messages name that place. */
  readonly to: string;
}

/** A store that is to be left. No server has it open, and none can open it until it is closed. */
export interface Leaving {
  readonly place: Place;
  /** How messages name it beside another place. */
  readonly name: string;
  /** Present where it was left already. */
  readonly moved?: Move;
  /** Keeps servers away until the transaction ends, in which this is the first step. */
  readonly hold: () => Promise<void>;
  /** Has the store open in no Jetway from the end of the transaction on, older ones included. */
  readonly hide: () => Promise<void>;
  readonly close: () => void;
}

/** A place without a store. */
export interface Arriving {
  readonly name: string;
  /** Of the copy that is there, complete or cut off. */
  readonly copy?: string;
  /**
   * Has `body` write a store that opens in no Jetway before `finish`, all of it or nothing; replaces what a
   * copy that was cut off left.
   */
  readonly build: (id: string, body: (place: Place) => Promise<Counts>) => Promise<Counts>;
  /** Lets the store be opened; may be repeated. */
  readonly finish: (id: string) => Promise<void>;
  readonly close: () => void;
}

/** What the configuration says of both stores. */
export interface Expected {
  readonly environment: Environment;
  readonly keyCheck: string;
}

/**
 * Copies a store and marks it as moved. Cut off at any moment, it may be run again.
 * @returns rows of each table; undefined where only the end of an earlier run was left to do
 * @throws StoreUnusable, Unavailable
 */
export async function copyStore(
  from: Leaving,
  to: Arriving,
  expected: Expected,
): Promise<Counts | undefined> {
  if (from.moved !== undefined) {
    if (from.moved.id !== to.copy) throw movedAlready(from.name, from.moved);
    await to.finish(from.moved.id);
    return undefined;
  }
  const move = { id: randomKey(12), to: to.name };
  const { place, name, hold, hide } = from;
  const counts = await place.transaction(async () => {
    await hold();
    const facts = await factsOf(place);
    expectSame(name, facts, expected);
    const damage = await damageOf(place);
    if (damage.length > 0) throw damagedStore(place.name, damage.join('; '));
    const arrived = await to.build(move.id, (target) =>
      carryStore(facts, place, target, everything),
    );
    await putMeta(place, { moved_as: move.id, moved_to: move.to });
    await hide();
    return arrived;
  });
  await to.finish(move.id);
  return counts;
}

function expectSame(name: string, facts: StoreFacts, { environment, keyCheck }: Expected): void {
  if (facts.environment !== environment) {
    throw new StoreUnusable(
      `the store ${name} belongs to environment ${facts.environment}; this configuration is for ${environment}`,
      `name the configuration of ${facts.environment} (--config)`,
    );
  }
  if (facts.keyCheck === undefined || facts.keyCheck === keyCheck) return;
  throw new StoreUnusable(
    `the configured master key is not the one of the store ${name}`,
    'copy its key to where master_key_file says: without it nothing in the store can be used',
  );
}

/** The refusal of a store that was left. */
export function movedAlready(name: string, { to }: Pick<Move, 'to'>): StoreUnusable {
  return new StoreUnusable(`the store ${name} was moved to ${to}`, `set store: ${to}`);
}
