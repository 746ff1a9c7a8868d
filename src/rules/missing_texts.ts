// Owns how a language's missing texts are told: in one list for each language.

import { languageSchema } from '../language/page_schema.ts';
import { positionAt } from '../lib/document.ts';
import { errorAt, type Fault } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { allMapsIn, entryAt, isOptional } from '../schema/keys.ts';
import type { Schema } from '../schema/walk.ts';

const place = /^login\.languages\.([^.]+)\.(.+)$/;

/**
 * The same faults, but of each language in `login.languages` one in place of all that tell of a
 * missing text or a missing map of texts. A single missing key keeps its own words.
 */
export function gatherMissingTexts(document: YamlNode, faults: readonly Fault[]): Fault[] {
  const byLanguage = Map.groupBy(faults, languageLacking);
  return [...byLanguage].flatMap(([language, group]) =>
    language === undefined ? group : [inOne(document, language, group)],
  );
}

/** The language of a fault that tells of a missing key; undefined for any other fault. */
function languageLacking({ path, code }: Fault): string | undefined {
  return code === 'missing_key' ? place.exec(path)?.[1] : undefined;
}

function inOne(document: YamlNode, language: string, group: readonly Fault[]): Fault {
  const texts = group.flatMap(({ path }) => textsAt(place.exec(path)?.[2]?.split('.') ?? []));
  const list = texts.join(', ');
  const [only, ...others] = group;
  if (only !== undefined && others.length === 0)
    return texts.length === 1 ? only : { ...only, hint: list };
  const path = ['login', 'languages', language];
  const message = `the language "${language}" lacks ${texts.length} texts`;
  return errorAt(positionAt(document, path), path, message, list);
}

/** The dotted paths of all texts that a language needs at a path or below it. */
function textsAt(path: readonly string[]): readonly string[] {
  const schema = entryAt(languageSchema, path) as Schema | undefined;
  const maps = schema === undefined ? [] : allMapsIn(schema);
  if (maps.length === 0) return [path.join('.')];
  return maps.flatMap(({ entries = {} }) =>
    Object.entries(entries).flatMap(([name, entry]) =>
      isOptional(entry) ? [] : textsAt([...path, name]),
    ),
  );
}
