// Owns reading a file of clients that is YAML: a list of maps, as `client show --json` prints them.

import { errorAt, type Fault, type Path, quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import { type MapNode, parseYaml, type YamlNode } from '../../lib/yaml/yaml.ts';
import { propertyNameFault } from '../entities/client_rules.ts';
import {
  type ImportField,
  importFields,
  type ImportRow,
  type ImportTable,
  type ImportValue,
  listFields,
  wordsOf,
} from './table.ts';

const throttleParts = { limit: 'throttle_limit', window: 'throttle_window' } as const;
const flatFields = importFields.filter((field) => !field.startsWith('throttle_'));
const names: readonly string[] = [...flatFields, 'throttle', 'properties'];

/** Reads the table of a text; never throws. */
export function readYamlTable(file: string, text: string): ImportTable {
  const { root, faults } = parseYaml(file, text);
  const fields = new Set(importFields);
  if (root === undefined) return { rows: [], fields, faults: faults.map(discreet) };
  const reading: Reading = { faults: faults.map(discreet) };
  if (root.kind !== 'list') {
    reading.faults.push(errorAt(root.at, [], 'expected a list of clients, each "- client_id: …"'));
    return { rows: [], fields, ...reading };
  }
  const rows = root.items.flatMap((item, index) => readItem(reading, item, [index]) ?? []);
  return { rows, fields, ...reading };
}

interface Reading {
  readonly faults: Fault[];
}

/** What the parser quotes of a broken line may be a secret. */
function discreet(fault: Fault): Fault {
  if (/^the file holds \d+ bytes/.test(fault.message)) {
    return { ...fault, hint: 'a .csv may be larger' };
  }
  return fault.message.startsWith('unexpected "')
    ? { ...fault, message: 'unexpected text' }
    : fault;
}

function readItem(reading: Reading, item: YamlNode, path: Path): ImportRow | undefined {
  if (item.kind !== 'map') {
    reading.faults.push(errorAt(item.at, path, 'expected a client: a map of client_id and others'));
    return undefined;
  }
  const values = new Map<ImportField, readonly ImportValue[]>();
  const properties = new Map<string, ImportValue>();
  for (const [key, { keyAt, node }] of item.entries) {
    const at = [...path, key];
    const field = flatFields.find((name) => name === key);
    if (isAbsent(node) && names.includes(key)) continue;
    // What is refused stays as a field without values: it is not missing.
    if (field !== undefined) values.set(field, readValues(reading, field, node, at));
    else if (key === 'throttle') {
      for (const [part, value] of readThrottle(reading, node, at)) values.set(part, [value]);
    } else if (key === 'properties') {
      for (const [name, value] of readProperties(reading, node, at)) properties.set(name, value);
    } else {
      const hint = nameHint(key, names);
      reading.faults.push(errorAt(keyAt, at, `a client has no ${quote(key)}`, hint));
    }
  }
  return { at: item.at, values, properties };
}

function isAbsent(node: YamlNode): boolean {
  return node.kind === 'scalar' && (node.value === null || node.value === '');
}

function readValues(
  reading: Reading,
  field: ImportField,
  node: YamlNode,
  path: Path,
): readonly ImportValue[] {
  if (!listFields.has(field)) return readText(reading, node, path);
  if (node.kind === 'list') {
    return node.items.flatMap((item, index) => readText(reading, item, [...path, index]));
  }
  return readText(reading, node, path).flatMap(wordsOf);
}

/** The text of a node; what is none has its fault, and no word of it is told. */
function readText(reading: Reading, node: YamlNode, path: Path): readonly ImportValue[] {
  if (node.kind === 'scalar' && typeof node.value === 'string') {
    return [{ text: node.value, at: node.at }];
  }
  const name = path.filter((step) => typeof step === 'string').join('.');
  const fault =
    node.kind === 'scalar'
      ? errorAt(node.at, path, `${name} is not read as text as it stands`, 'put it in quotes')
      : errorAt(node.at, path, `${name} must be text, not a ${node.kind}`);
  reading.faults.push(fault);
  return [];
}

function entriesOf(reading: Reading, node: YamlNode, path: Path, like: string): MapNode['entries'] {
  if (node.kind === 'map') return node.entries;
  reading.faults.push(errorAt(node.at, path, `expected a map, such as ${like}`));
  return new Map();
}

function readThrottle(
  reading: Reading,
  node: YamlNode,
  path: Path,
): readonly (readonly [ImportField, ImportValue])[] {
  const entries = [...entriesOf(reading, node, path, '{ limit: 600, window: 1m }')];
  return entries.flatMap(([key, { keyAt, node: part }]) => {
    const at = [...path, key];
    if (key !== 'limit' && key !== 'window') {
      const hint = nameHint(key, Object.keys(throttleParts));
      reading.faults.push(errorAt(keyAt, at, `a throttle has no ${quote(key)}`, hint));
      return [];
    }
    const isNumber = part.kind === 'scalar' && typeof part.value === 'number';
    const found = isNumber
      ? [{ text: String(part.value), at: part.at }]
      : readText(reading, part, at);
    return found.map((value) => [throttleParts[key], value] as const);
  });
}

function readProperties(
  reading: Reading,
  node: YamlNode,
  path: Path,
): readonly (readonly [string, ImportValue])[] {
  const entries = [...entriesOf(reading, node, path, '{ instance_url: "https://…" }')];
  return entries.flatMap(([key, { keyAt, node: value }]) => {
    const at = [...path, key];
    const reason = propertyNameFault(key);
    if (reason !== undefined) {
      reading.faults.push(errorAt(keyAt, at, `the name of a property ${reason}`));
      return [];
    }
    return readText(reading, value, at).map((found) => [key, found] as const);
  });
}
