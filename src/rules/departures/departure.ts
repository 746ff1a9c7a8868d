// Owns what a departure of several keys is, and finding those of one key, which stand in its entry of the schema.

import { type Definition, definitionSchema } from '../../language/definition.ts';
import type { Complaint } from '../../schema/faults.ts';
import { keysOf, keyValues } from '../../schema/keys.ts';
import type { KeyDeparture } from '../../schema/notes.ts';

/** A departure that no key makes by itself. */
export interface JoinedDeparture extends Pick<KeyDeparture<never>, 'isQuiet'> {
  /** Paths of its keys, as in the reference. */
  readonly keys: readonly string[];
  /** The message cites the RFC, the hint says what limits the risk or how to mend it. */
  readonly find: (definition: Definition) => Iterable<Complaint>;
}

/** The departures that each key can make by itself, in the order of the schema. */
export const departuresOfKeys: readonly (readonly [path: string, KeyDeparture<never>])[] = keysOf(
  definitionSchema,
).flatMap(({ path, entry }) =>
  (entry.docs?.departs ?? []).map((departure) => [path, departure] as const),
);

/** Every departure that a key of the file makes by itself, with its name. */
export function* keyDepartures(
  definition: Definition,
): Iterable<readonly [name: string, complaint: Complaint]> {
  for (const { entry, value, at } of keyValues(definition, definitionSchema)) {
    for (const { name, when, message, hint } of entry.docs?.departs ?? []) {
      if (!when(value, at)) continue;
      yield [name, [at.path, message, typeof hint === 'string' ? hint : hint(value, at)]];
    }
  }
}
