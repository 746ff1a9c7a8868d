// Owns faults that need the file's own text, not the merged document: nulls that remove nothing,
// numbers that YAML versions read differently, a missing variant.

import { nodeAt } from '../../lib/document.ts';
import {
  errorAt,
  type Fault,
  type Path,
  type Position,
  quote,
  warningAt,
} from '../../lib/fault.ts';
import { didYouMean } from '../../lib/suggest.ts';
import type { MapNode, ScalarNode, YamlNode } from '../../lib/yaml/node.ts';
import { type Schema, schemaAt, subjectAt, subjectOf, unwrap } from '../../schema/walk.ts';
import { unknownKeyWords } from '../../schema/words.ts';

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
  const isMissing = ({ path, message }: Fault): boolean =>
    message === `${quote(path)} is missing` && !root.entries.has(path);
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
  if (!fault.message.endsWith(' is missing')) return fault;
  return {
    ...fault,
    at: entry.keyAt,
    hint: 'nothing stands here, which removes what the variant has',
  };
}
