// Owns `jetway help key NAME`: the help for a key of programme files or of the configuration, from the
// notes of the schemas.

import { configSchema } from '../config/config.ts';
import { definitionSchema } from '../language/definition.ts';
import { quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import { defaultWords, departureWords, typeWords } from '../schema/key_words.ts';
import { entryAt, isOptional, type Key, keysOf, notesOf, typeOf, typesOf } from '../schema/keys.ts';
import type { Schema } from '../schema/walk.ts';
import { type CommandError, wrongUsage } from '../server/exit.ts';

interface Found extends Key {
  /** Of the file that has the key. */
  readonly schema: Schema;
}

/**
 * The help for a key, which is named by its path in a file (`grants.password.role`), by its path in
 * the reference (`grant.role`), or by the end of that path (`role`). Lists all keys with that
 * ending.
 *
 * @param verbs words to suggest besides keys
 * @throws CommandError for an unknown key; its message suggests the nearest name
 */
export function keyHelp(
  name: string,
  verbs: readonly string[] = [],
  schemas: readonly Schema[] = [definitionSchema, configSchema],
): string {
  const keys = schemas.flatMap((schema) =>
    keysOf(schema).map((key): Found => ({ ...key, schema })),
  );
  const placed = schemas.flatMap((schema) => placedKey(name, schema));
  const found = placed.length > 0 ? placed : matching(name, keys);
  const [only] = found;
  if (only === undefined) throw unknownKey(name, keys, verbs);
  if (found.length === 1) return describe(only);
  const width = Math.max(...found.map(({ path }) => path.length));
  const lines = found.map(({ path, entry }) => {
    const [sentence = ''] = /^.*?[.:](?= |$)/.exec(plain(entry.docs?.text)) ?? [];
    return `  ${path.padEnd(width)}  ${sentence}`;
  });
  return [`Keys that end with ${quote(name)}:`, '', ...lines].join('\n');
}

function placedKey(path: string, schema: Schema): readonly Found[] {
  const entry = entryAt(schema, path.split('.'));
  if (entry?.docs === undefined) return [];
  return [{ path, entry, required: !isOptional(entry), schema }];
}

function matching(name: string, keys: readonly Found[]): readonly Found[] {
  const exact = keys.filter(({ path }) => path === name);
  return exact.length > 0 ? exact : keys.filter(({ path }) => path.endsWith(`.${name}`));
}

function unknownKey(name: string, keys: readonly Key[], verbs: readonly string[]): CommandError {
  const paths = keys.map(({ path }) => path);
  const ends = paths.map((path) => path.split('.').at(-1) ?? '');
  const hint =
    didYouMean(name, [...verbs, ...paths, ...ends]) ?? 'docs/programme-reference.md lists them';
  return wrongUsage(`there is no key ${quote(name)} (${hint})`);
}

function describe(key: Found): string {
  const { path, type, entry, schema } = key;
  const { text, example, counts = '', departs = [] } = entry.docs ?? {};
  const name = path.split('.').at(-1) ?? '';
  const kind = typeOf(entry as Schema);
  const kindText = notesOf(typesOf(schema).get(kind ?? '') ?? schema).text;
  const below = keysOf(schema).filter((one) => {
    const around = one.path.slice(0, Math.max(0, one.path.lastIndexOf('.')));
    return around !== '' && (around === path || around === kind);
  });
  const rows = [
    ['Of', type === undefined ? '' : `each ${spaced(type)}`],
    ['Type', typeWords(entry as Schema, spaced)],
    ['', plain(kindText)],
    ['Default', defaultWords(key)],
    ['Example', example === undefined ? '' : `${name}: ${example}`],
    ['Counts', counts],
    ['Keys', below.map((one) => one.path).join(', ')],
  ].filter(([, words]) => words !== '');
  return [
    path,
    '',
    [plain(text), ...departs.map(departureWords)].join('\n'),
    '',
    ...rows.map(([head = '', words = '']) => `${head.padEnd(7)}  ${words}`),
  ].join('\n');
}

/** Links point to other parts of the reference page, so only their text is kept. */
function plain(markdown = ''): string {
  return markdown.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1');
}

function spaced(type: string): string {
  return type.replaceAll('_', ' ');
}
