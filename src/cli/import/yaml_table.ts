// Owns reading a YAML file: a list of maps, as `show --json` prints them.

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import { nameHint } from '../../lib/suggest.ts';
import { type MapNode, parseYaml, type YamlNode } from '../../lib/yaml/yaml.ts';
import type { Input } from '../entities/fields.ts';
import { type Row, type Table, type Value, valuesOf } from './table.ts';

/** Never throws. `noun` names the items in messages: `client`. */
export function readYamlTable(
  file: string,
  text: string,
  inputs: readonly Input[],
  noun: string,
): Table {
  const { root, faults: found } = parseYaml(file, text);
  const faults = found.map(discreet);
  const columns = new Set(inputs.map(({ name }) => name));
  const [{ name: first } = { name: '' }] = inputs;
  if (root !== undefined && root.kind !== 'list') {
    faults.push(errorAt(root.at, [], `expected a list of ${noun}s, each "- ${first}: …"`));
  }
  const items = root?.kind === 'list' ? root.items : [];
  const rows = items.flatMap((item) => {
    if (item.kind === 'map') return [{ at: item.at, given: readItem(faults, item, inputs, noun) }];
    faults.push(errorAt(item.at, [], `expected a ${noun}: a map of ${first} and others`));
    return [];
  });
  return { rows, columns, faults };
}

/** The parser's messages quote broken lines, which may hold a secret. */
function discreet(fault: Fault): Fault {
  if (/^the file holds \d+ bytes/.test(fault.message)) {
    return { ...fault, hint: 'a .csv may be larger' };
  }
  return fault.message.startsWith('unexpected "')
    ? { ...fault, message: 'unexpected text' }
    : fault;
}

function readItem(
  faults: Fault[],
  { entries }: MapNode,
  inputs: readonly Input[],
  noun: string,
): Row['given'] {
  const keyOf = ({ name, nested }: Input): string => nested?.map ?? name;
  const given = new Map<string, readonly Value[]>();
  for (const [key, { keyAt, node }] of entries) {
    const own = inputs.filter((input) => keyOf(input) === key);
    const [first] = own;
    if (first === undefined) {
      const hint = nameHint(key, [...new Set(inputs.map(keyOf))]);
      faults.push(errorAt(keyAt, [], `a ${noun} has no ${quote(key)}`, hint));
    } else if (node.kind === 'scalar' && (node.value === null || node.value === '')) {
      continue;
    } else if (first.nested === undefined) given.set(key, readValues(faults, first, node, key));
    else {
      for (const [input, values] of readNested(faults, own, first.nested, node)) {
        given.set(input, [...(given.get(input) ?? []), ...values]);
      }
    }
  }
  return given;
}

function readValues(faults: Fault[], input: Input, node: YamlNode, name: string): readonly Value[] {
  const nodes = input.many === true && node.kind === 'list' ? node.items : [node];
  return nodes.flatMap((item) =>
    readText(faults, item, name).flatMap((value) => valuesOf(input, value)),
  );
}

/** The text of a node; a fault about any other node does not quote it. */
function readText(
  faults: Fault[],
  node: YamlNode,
  name: string,
): readonly Pick<Value, 'text' | 'at'>[] {
  if (node.kind === 'scalar' && typeof node.value === 'string') {
    return [{ text: node.value, at: node.at }];
  }
  faults.push(
    node.kind === 'scalar'
      ? errorAt(node.at, [], `${name} is not read as text as it stands`, 'put it in quotes')
      : errorAt(node.at, [], `${name} must be text, not a ${node.kind}`),
  );
  return [];
}

/** A map of values: of inputs with listed keys, or of one input whose values have free names. */
function readNested(
  faults: Fault[],
  inputs: readonly Input[],
  { map, like }: NonNullable<Input['nested']>,
  node: YamlNode,
): readonly (readonly [string, readonly Value[]])[] {
  if (node.kind !== 'map') {
    faults.push(errorAt(node.at, [], `expected a map, such as ${like}`));
    return [];
  }
  return [...node.entries].flatMap(([key, { keyAt, node: part }]) => {
    const input = inputs.find(({ nested }) => nested?.key === key) ?? inputs[0];
    const keys = inputs.flatMap(({ nested }) => nested?.key ?? []);
    const nameFault = input?.nameFault?.(key);
    if (input === undefined || (keys.length > 0 && !keys.includes(key))) {
      faults.push(errorAt(keyAt, [], `a ${map} has no ${quote(key)}`, nameHint(key, keys)));
      return [];
    }
    if (nameFault !== undefined) {
      faults.push(errorAt(keyAt, [], `the name of a ${input.name} ${nameFault}`));
      return [];
    }
    const isNumber = keys.length > 0 && part.kind === 'scalar' && typeof part.value === 'number';
    const found = isNumber
      ? [{ text: String(part.value), at: part.at }]
      : readText(faults, part, `${map}.${key}`);
    const name = input.nameFault === undefined ? undefined : key;
    return found.map((value) => [input.name, valuesOf(input, value, name)] as const);
  });
}
