// Owns reading a YAML file: a list of maps, as `show --json` prints them.

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import { type MapNode, parseYaml, type YamlNode } from '../../lib/yaml/yaml.ts';
import type { Input } from '../entities/fields.ts';
import {
  type Cell,
  type Item,
  type Table,
  tableOf,
  type Text,
  type Value,
  valuesOf,
} from './table.ts';

type Entry = MapNode['entries'] extends ReadonlyMap<string, infer Held> ? Held : never;

/** Never throws. `noun` names the items in messages: `client`. */
export function readYamlTable(
  file: string,
  text: string,
  inputs: readonly Input[],
  noun: string,
): Table {
  const { root, faults } = parseYaml(file, text);
  const columns = new Set(inputs.map(({ name }) => name));
  const [{ name: first } = { name: '' }] = inputs;
  const found = faults.map((fault) =>
    fault.code === 'too_large' ? { ...fault, hint: 'a .csv may be larger' } : fault,
  );
  if (root !== undefined && root.kind !== 'list') {
    found.push(errorAt(root.at, [], `expected a list of ${noun}s, each "- ${first}: …"`));
  }
  const items = root?.kind === 'list' ? root.items : [];
  const read = items.map((item): Item | Fault => {
    if (item.kind !== 'map') {
      return errorAt(item.at, [], `expected a ${noun}: a map of ${first} and others`);
    }
    const entries = [...item.entries];
    return { at: item.at, cells: entries.flatMap(([key, one]) => cellsOf(key, one, inputs, noun)) };
  });
  return tableOf(columns, read, found);
}

function cellsOf(
  key: string,
  { keyAt, node }: Entry,
  inputs: readonly Input[],
  noun: string,
): readonly (Cell | Fault)[] {
  const keyOf = ({ name, nested }: Input): string => nested?.map ?? name;
  const own = inputs.filter((input) => keyOf(input) === key);
  const [input] = own;
  if (input === undefined) {
    const hint = nameHint(key, [...new Set(inputs.map(keyOf))]);
    return [errorAt(keyAt, [], `a ${noun} has no ${quote(key)}`, hint)];
  }
  if (node.kind === 'scalar' && (node.value === null || node.value === '')) return [];
  if (input.nested !== undefined) {
    return node.kind === 'map'
      ? [...node.entries].map(([name, part]) => nestedCell(name, part, own, key))
      : [errorAt(node.at, [], `expected a map, such as ${input.nested.like}`)];
  }
  const nodes = input.many === true && node.kind === 'list' ? node.items : [node];
  const texts = nodes.map((item) => textOf(item, key));
  // A column whose texts were all refused is there, without values.
  const values = texts.flatMap((one) => ('text' in one ? valuesOf(input, one) : []));
  return [{ input, values }, ...texts.filter((one) => 'message' in one)];
}

/** The text of a node; a fault about any other node does not quote it. */
function textOf(node: YamlNode, name: string): Text | Fault {
  if (node.kind !== 'scalar') {
    return errorAt(node.at, [], `${name} must be text, not a ${node.kind}`);
  }
  return typeof node.value === 'string'
    ? { text: node.value, at: node.at }
    : errorAt(node.at, [], `${name} is not read as text as it stands`, 'put it in quotes');
}

/** A value in a map: of one of several inputs with keys, or of an input whose values have names. */
function nestedCell(
  name: string,
  { keyAt, node }: Entry,
  inputs: readonly Input[],
  map: string,
): Cell | Fault {
  const keys = inputs.flatMap(({ nested }) => nested?.key ?? []);
  const input = inputs.find(({ nested }) => nested?.key === name || keys.length === 0);
  if (input === undefined) {
    return errorAt(keyAt, [], `a ${map} has no ${quote(name)}`, nameHint(name, keys));
  }
  const nameFault = input.nameFault?.(name);
  if (nameFault !== undefined) {
    return errorAt(keyAt, [], `the name of a ${input.name} ${nameFault}`);
  }
  const isNumber = keys.length > 0 && node.kind === 'scalar' && typeof node.value === 'number';
  // What may have any name may also have several values.
  const nodes = input.nameFault !== undefined && node.kind === 'list' ? node.items : [node];
  const values: Value[] = [];
  for (const one of nodes) {
    const text = isNumber
      ? { text: String(node.value), at: one.at }
      : textOf(one, `${map}.${name}`);
    if ('message' in text) return text;
    values.push(...valuesOf(input, text, input.nameFault === undefined ? undefined : name));
  }
  return { input, values };
}
