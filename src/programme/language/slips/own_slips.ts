// Owns faults that need the file's own text, not the merged document: nulls that remove nothing,
// numbers that YAML versions read differently, a missing variant.

import { keyPositionAt, nodeAt } from '../../../lib/document.ts';
import { errorAt, type Fault, type Path, quote, warningAt } from '../../../lib/fault.ts';
import { didYouMean } from '../../../lib/suggest.ts';
import type { MapNode, ScalarNode, YamlNode } from '../../../lib/yaml/node.ts';
import {
  type Schema,
  schemaAt,
  type Subject,
  subjectAt,
  subjectOf,
  unwrap,
} from '../../../schema/walk.ts';
import { unknownKeyWords } from '../../../schema/words.ts';

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

/**
 * Warns of nulls that remove nothing: after a typing slip, the setting that was to go would stay. A
 * key of a strict object is reported as unknown, with the usual suggestion.
 */
export function* idleNulls(
  schema: Schema,
  document: YamlNode,
  root: MapNode,
  base: YamlNode | undefined,
): Iterable<Fault> {
  const subject = subjectOf(document);
  for (const [path, { value }] of scalarsOf(root)) {
    if (value !== null || path.some((step) => typeof step === 'number')) continue;
    if (base !== undefined && nodeAt(base, path) !== undefined) continue;
    const fault = idleNull(schema, subject, root, path);
    if (fault !== undefined) yield fault;
  }
}

/** More than these are better said as a list than taken from the variant one by one. */
const mostNulls = 3;

/** Keys whose maps can be lists of maps, and such a list. */
const listForms: Readonly<Record<string, string>> = {
  inputs: '[{ code: {} }, { grant_type: {} }]',
  fields: '[{ token: access_token }, { scope: scope }]',
  claims: '[{ client: client_id }, { level: level }]',
};

/** Warns of maps that remove many members of the variant's, which a list replaces at once. */
export function* removedSingly(root: MapNode, base: YamlNode | undefined): Iterable<Fault> {
  const nulls = [...scalarsOf(root)].filter(
    ([path, { value }]) => value === null && base !== undefined && nodeAt(base, path) !== undefined,
  );
  const maps = Map.groupBy(nulls, ([path]) => path.slice(0, -1).join('.'));
  for (const members of maps.values()) {
    const path = members[0]?.[0].slice(0, -1) ?? [];
    const what = String(path.at(-1));
    const list = Object.hasOwn(listForms, what) ? listForms[what] : undefined;
    if (list === undefined || members.length <= mostNulls) continue;
    yield warningAt(
      'removed_singly',
      keyPositionAt(root, path),
      path,
      `${members.length} ${what} of the variant are removed one by one`,
      `a list of maps replaces them all: ${list}`,
    );
  }
}

function idleNull(schema: Schema, subject: Subject, root: MapNode, path: Path): Fault | undefined {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1));
  const holder = subjectAt(subject, parent);
  const around = holder && schemaAt(schema, subject, parent);
  const shape = holder && around && unwrap(around, holder);
  const map = nodeAt(root, parent);
  const at = map?.kind === 'map' ? map.entries.get(key)?.keyAt : undefined;
  if (shape === undefined || at === undefined || holder?.node.kind !== 'map') return undefined;
  if (shape.type === 'strict_object' && !Object.hasOwn(shape.entries ?? {}, key)) {
    const allowed = Object.keys(shape.entries ?? {});
    const { message, hint } = unknownKeyWords(key, allowed, allowed);
    return errorAt(at, path, message, hint);
  }
  if (shape.type !== 'record') return undefined;
  const hint = didYouMean(key, holder.node.entries.keys());
  return warningAt('idle_null', at, path, `there is no ${quote(key)} to remove here`, hint);
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
