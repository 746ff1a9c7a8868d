// Owns error groups: what a file says of many failure reasons at once, written out for each of them.

import { mergeNodes, nodeAt } from '../../lib/document.ts';
import type { MapEntry, MapNode, YamlNode } from '../../lib/yaml/node.ts';
import { type FailureReason, failureReasons, gatewayRefusals } from '../../oauth/failure.ts';

/**
 * `base` with what the groups of `over` say of its failure reasons, in the order they are listed: a
 * later group wins over an earlier one, as the file's own `errors.reasons`, laid on top by the
 * caller, win over all. A malformed group changes nothing; the schema tells what is wrong with it.
 *
 * `all` leaves the statuses by which gateways know a refusal as they are, 401 or 403: only a group
 * or a reason that names one of those changes them.
 */
export function spreadErrorGroups(base: YamlNode, over: MapNode): YamlNode {
  const groups = nodeAt(over, ['errors', 'groups']);
  if (groups?.kind !== 'list') return base;
  return groups.items.reduce((spread, group) => {
    if (group.kind !== 'map') return spread;
    const said = new Map(group.entries);
    said.delete('reasons');
    const named = nodeAt(group, ['reasons']);
    const isAll = named?.kind === 'scalar' && named.value === 'all';
    const reasons = reasonsNamed(named).map((name): readonly [string, MapNode] => {
      const status = isAll ? gatewayRefusals.get(name) : undefined;
      const entries =
        status === undefined ? said : withStatus(said, statusOf(spread, name) ?? status);
      return [name, { ...group, entries }];
    });
    const layer = mapAt(group, [['errors', mapAt(group, [['reasons', mapAt(group, reasons)]])]]);
    return mergeNodes(spread, layer);
  }, base);
}

/** What a group says, with another status in the place of its own. */
function withStatus(
  said: ReadonlyMap<string, MapEntry>,
  status: number | YamlNode,
): ReadonlyMap<string, MapEntry> {
  const entry = said.get('status');
  if (entry === undefined) return said;
  const { at } = entry.node;
  const node: YamlNode =
    typeof status === 'number' ? { kind: 'scalar', at, value: status } : status;
  return new Map([...said, ['status', { ...entry, node }]]);
}

function statusOf(spread: YamlNode, reason: FailureReason): YamlNode | undefined {
  return nodeAt(spread, ['errors', 'reasons', reason, 'status']);
}

function reasonsNamed(node: YamlNode | undefined): readonly FailureReason[] {
  if (node?.kind === 'scalar') return node.value === 'all' ? failureReasons : [];
  const names = node?.kind === 'list' ? node.items : [];
  return names.flatMap((name) =>
    name.kind === 'scalar' && isReason(name.value) ? [name.value] : [],
  );
}

function isReason(value: unknown): value is FailureReason {
  return (failureReasons as readonly unknown[]).includes(value);
}

/** A map that stands where its group stands, so that faults lead there. */
function mapAt({ at }: MapNode, members: readonly (readonly [string, MapNode])[]): MapNode {
  const entries = members.map(([key, node]): [string, MapEntry] => [key, { keyAt: at, node }]);
  return { kind: 'map', at, entries: new Map(entries) };
}
