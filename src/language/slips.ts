// Owns what is said of slips of the pen: nulls without effect, numbers that YAML reads otherwise, and words of
// other products.

import { readYamlAsset } from '../lib/asset.ts';
import { nodeAt, toPlain } from '../lib/document.ts';
import { errorAt, type Fault, type Path, type Position, quote, warningAt } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { MapNode, ScalarNode, YamlNode } from '../lib/yaml/node.ts';
import { reasonsByCode } from '../oauth/reasons.ts';
import { unknownKeyWords } from '../schema/faults.ts';
import { type Schema, schemaAt, subjectAt, subjectOf, unwrap } from '../schema/walk.ts';

/** Every scalar of a file, with its path. */
function* scalarsOf(node: YamlNode, path: Path = []): Iterable<readonly [Path, ScalarNode]> {
  if (node.kind === 'scalar') yield [path, node];
  if (node.kind === 'list') {
    for (const [index, item] of node.items.entries()) yield* scalarsOf(item, [...path, index]);
  }
  if (node.kind === 'map') {
    for (const [key, entry] of node.entries) yield* scalarsOf(entry.node, [...path, key]);
  }
}

/** A null that the merge found to remove nothing. */
export interface IdleNull {
  readonly path: Path;
  /** The place of its key. */
  readonly at: Position;
}

/**
 * Warns of nulls that remove nothing: after a typing slip, the setting that was to go would stay. A
 * key of a strict object is reported as unknown, with the usual suggestion.
 */
export function* idleNulls(
  schema: Schema,
  document: YamlNode,
  nulls: readonly IdleNull[],
): Iterable<Fault> {
  if (nulls.length === 0) return;
  const subject = subjectOf(document);
  for (const { path, at } of nulls) {
    const parent = path.slice(0, -1);
    const key = String(path.at(-1));
    const holder = subjectAt(subject, parent);
    const around = holder && schemaAt(schema, subject, parent);
    if (holder?.node.kind !== 'map' || around === undefined) continue;
    const { type, entries = {} } = unwrap(around, holder);
    if (type === 'strict_object' && !Object.hasOwn(entries, key)) {
      const allowed = Object.keys(entries);
      const { message, hint } = unknownKeyWords(key, allowed, allowed);
      yield errorAt(at, path, message, hint);
    }
    if (type === 'record') {
      const hint = didYouMean(key, holder.node.entries.keys());
      yield warningAt('idle_null', at, path, `there is no ${quote(key)} to remove here`, hint);
    }
  }
}

/** Numbers that YAML 1.1 and 1.2 read differently; skips places that have a fault in `told`. */
export function* ambiguousNumbers(root: MapNode, told: readonly Fault[]): Iterable<Fault> {
  for (const [path, { at, value, source = '' }] of scalarsOf(root)) {
    if (told.some((fault) => fault.at.line === at.line && fault.at.column === at.column)) continue;
    if (typeof value !== 'number' || !/^[-+]?0[0-9xob]/i.test(source)) continue;
    const message = `readers of YAML do not agree on the number ${source}`;
    yield errorAt(at, path, message, `write ${value}, or put it in quotes: ${quote(source)}`);
  }
}

/**
 * The faults of a file that names no variant and is incomplete: the missing variant replaces all
 * faults about keys that a variant would have set.
 */
export function withoutVariant(
  root: MapNode,
  faults: readonly Fault[],
  names: readonly string[],
): readonly Fault[] {
  const isMissing = ({ path, code }: Fault): boolean =>
    code === 'missing_key' && !path.includes('.') && !root.entries.has(path);
  const missing = faults.filter(isMissing);
  const [first] = missing;
  if (root.entries.has('variant') || missing.length < 4 || first === undefined) return faults;
  const told = missing.map(({ path }) => path).join(', ');
  const message = 'the file names no variant, and is no complete dialect by itself';
  const hint = `add variant: ${names.join(' or ')}; without one ${told} are missing`;
  return [
    ...faults.filter((fault) => !isMissing(fault)),
    errorAt(first.at, ['variant'], message, hint),
  ];
}

/** Moves a fault about a missing key to the null that removed it. */
export function atTheNull(root: YamlNode, fault: Fault): Fault {
  const path = fault.path.split('.');
  const parent = nodeAt(root, path.slice(0, -1));
  const entry = parent?.kind === 'map' ? parent.entries.get(path.at(-1) ?? '') : undefined;
  if (entry?.node.kind !== 'scalar' || entry.node.value !== null) return fault;
  if (fault.code !== 'missing_key') return fault;
  return {
    ...fault,
    at: entry.keyAt,
    hint: 'nothing stands here, which removes what the variant has',
  };
}

/** What is told of each word. In the file one text can be that of several words. */
type Hints = ReadonlyMap<string, string>;
type Texts = Readonly<Record<string, string>>;

export interface AbsentWords {
  readonly ofKeys: Hints;
  /** By the form of the paths at which they stand. */
  readonly ofValues: readonly (readonly [place: RegExp, hints: Hints])[];
}

let read: AbsentWords | undefined;

/** What is told of each word that the language does not have; read at the first fault. */
export function absentWords(): AbsentWords {
  if (read !== undefined) return read;
  const { root } = readYamlAsset('src/language/slips/absent_words.yaml');
  if (root === undefined) throw new Error('absent_words.yaml cannot be read');
  const { keys, values } = toPlain(root) as { keys: Texts; values: Record<string, Texts> };
  const hintsIn = (texts: Texts): Hints =>
    new Map(
      Object.entries(texts).flatMap(([words, text]) => words.split(' ').map((one) => [one, text])),
    );
  const ofValues = Object.entries(values).map(
    ([place, texts]) => [new RegExp(place), hintsIn(texts)] as const,
  );
  read = { ofKeys: hintsIn(keys), ofValues };
  return read;
}

/** Where one failure reason is named: the code would have to choose. */
const reasonPlaces = /^errors\.reasons\.[^.]+$|\.when_[a-z_]+$/;

/** The fault with the hint for the word at its place, if there is one. */
export function withForeignWord(document: YamlNode, fault: Fault): Fault {
  const { path, code } = fault;
  const isKey = code === 'unknown_key';
  if (!isKey && code !== 'unfit_value') return fault;
  const steps = path.split('.');
  const node = nodeAt(document, steps);
  const written = node?.kind === 'scalar' ? String(node.value) : '';
  const word = isKey ? (steps.at(-1) ?? '') : written;
  if (reasonPlaces.test(path) && Object.hasOwn(reasonsByCode, word)) {
    const reasons = reasonsByCode[word]?.join(', ');
    const hint = `${word} is an error code (RFC 6749 5.2): errors.groups takes it, for the reasons ${reasons}`;
    return { ...fault, hint };
  }
  const { ofKeys, ofValues } = absentWords();
  const ofPlace = ofValues.find(([place, hints]) => place.test(path) && hints.has(word));
  const hint = ofPlace?.[1].get(word) ?? (isKey ? ofKeys.get(snakeCase(word)) : undefined);
  return hint === undefined ? fault : { ...fault, hint };
}

/** `rateLimit`, `Rate-Limit` and `rate_limit` are one word. */
function snakeCase(word: string): string {
  return word
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
