// Owns what a departure of several keys is, and finding those of one key, which stand in its entry of the schema.

import { type Definition, definitionSchema } from '../../language/definition.ts';
import type { Path } from '../../lib/fault.ts';
import type { Complaint } from '../../schema/faults.ts';
import { allMapsIn, keysOf } from '../../schema/keys.ts';
import type { KeyDeparture, Surroundings } from '../../schema/notes.ts';
import type { Schema, Shape } from '../../schema/walk.ts';

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
export function keyDepartures(
  definition: Definition,
): Iterable<readonly [name: string, complaint: Complaint]> {
  const get: Surroundings['get'] = (...path) => valueAt(definition, path);
  return departuresIn(definition, definitionSchema, { path: [], get });
}

function* departuresIn(
  map: object,
  schema: Schema,
  at: Surroundings,
): Iterable<readonly [name: string, complaint: Complaint]> {
  const maps = allMapsIn(schema);
  for (const [name, value] of Object.entries(map)) {
    const entry = entryOf(maps, name);
    if (entry === undefined) continue;
    const inner = { ...at, path: [...at.path, name] };
    // The schema has made the value: it has the type that the entry says.
    const known = value as never;
    for (const departure of entry.docs?.departs ?? []) {
      const { when, message, hint } = departure;
      if (!when(known, inner)) continue;
      const advice = typeof hint === 'string' ? hint : hint(known, inner);
      yield [departure.name, [inner.path, message, advice]];
    }
    if (isMap(value)) yield* departuresIn(value, entry as Schema, inner);
  }
}

/** The entry of a key, or of every name in a map of names. */
function entryOf(maps: readonly Shape[], name: string): Shape | undefined {
  const found = maps.map(({ entries, value }) => (entries === undefined ? value : entries[name]));
  return found.find((entry) => entry !== undefined);
}

/** Fields of answers have no keys of the schema. */
function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, step) =>
      isMap(found) ? (found as Readonly<Record<string, unknown>>)[step] : undefined,
    value,
  );
}
