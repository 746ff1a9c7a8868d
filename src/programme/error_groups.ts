// Owns error groups: what a file says of many failure reasons at once, written out for each of them.

import { mergeNodes, nodeAt } from '../lib/document.ts';
import type { MapEntry, MapNode, YamlNode } from '../lib/yaml_node.ts';
import { failureReasons } from '../oauth/failure.ts';

/**
 * `base` with what the groups of `over` say of its failure reasons, in the order they are listed: a
 * later group wins over an earlier one, as the file's own `errors.reasons`, laid on top by the
 * caller, win over all. A malformed group changes nothing; the schema tells what is wrong with it.
 */
export function spreadErrorGroups(base: YamlNode, over: MapNode): YamlNode {
  const groups = nodeAt(over, ['errors', 'groups']);
  if (groups?.kind !== 'list') return base;
  return groups.items.reduce((spread, group) => {
    if (group.kind !== 'map') return spread;
    const said = new Map(group.entries);
    said.delete('reasons');
    const mapping: MapNode = { ...group, entries: said };
    const reasons = reasonsNamed(nodeAt(group, ['reasons'])).map(
      (name) => [name, mapping] as const,
    );
    const layer = mapAt(group, [['errors', mapAt(group, [['reasons', mapAt(group, reasons)]])]]);
    return mergeNodes(spread, layer);
  }, base);
}

function reasonsNamed(node: YamlNode | undefined): readonly string[] {
  if (node?.kind === 'scalar') return node.value === 'all' ? failureReasons : [];
  const names = node?.kind === 'list' ? node.items : [];
  return names.flatMap((name) =>
    name.kind === 'scalar' && isReason(name.value) ? [name.value] : [],
  );
}

function isReason(value: unknown): value is string {
  return (failureReasons as readonly unknown[]).includes(value);
}

/** A map that stands where its group stands, so that faults lead there. */
function mapAt({ at }: MapNode, members: readonly (readonly [string, MapNode])[]): MapNode {
  const entries = members.map(([key, node]): [string, MapEntry] => [key, { keyAt: at, node }]);
  return { kind: 'map', at, entries: new Map(entries) };
}
