// Owns the maps of a file that replace the variant's map instead of merging with it: maps of
// another form, such as a redirect over a page, whose keys have no common meaning.

import type { Replaces } from '../lib/document.ts';
import type { MapNode } from '../lib/yaml/node.ts';
import { allMapsIn, entryAt, isOptional } from '../schema/keys.ts';
import type { Schema } from '../schema/walk.ts';

/**
 * Whether a map replaces the map below it. The schema decides: where it allows several maps,
 * required keys or the discriminator's value tell them apart.
 */
export function takesAnotherForm(schema: Schema): Replaces {
  return (path, base, over) => {
    const place = entryAt(schema, path.map(String));
    if (place === undefined) return false;
    const { type, key } = place;
    if (type === 'variant') return differ(valueOf(base, String(key)), valueOf(over, String(key)));
    const maps = allMapsIn(place as Schema);
    if (maps.length < 2) return false;
    const marks = maps.flatMap(({ entries = {} }) =>
      Object.entries(entries).flatMap(([name, entry]) => (isOptional(entry) ? [] : [name])),
    );
    return differ(formOf(base, marks), formOf(over, marks));
  };
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function valueOf({ entries }: MapNode, key: string): unknown {
  const node = entries.get(key)?.node;
  return node?.kind === 'scalar' ? node.value : undefined;
}

/** The only mark of a form in the map; a null removes a mark and sets none. */
function formOf(map: MapNode, marks: readonly string[]): string | undefined {
  const given = marks.filter((mark) => map.entries.has(mark) && valueOf(map, mark) !== null);
  return given.length === 1 ? given[0] : undefined;
}
