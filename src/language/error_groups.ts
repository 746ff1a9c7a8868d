// Owns error groups: replaces settings for many failure reasons with settings for each reason.

import { mergeNodes, nodeAt } from '../lib/document.ts';
import type { MapEntry, MapNode, YamlNode } from '../lib/yaml/node.ts';
import {
  type FailureReason,
  failureReasons,
  gatewayRefusals,
  reasonsByCode,
} from '../oauth/reasons.ts';

/**
 * `base` with the settings of the groups in `over`; a later group overrides an earlier one, and the
 * file's own `errors.reasons`, which the caller adds, overrides all. A malformed group changes
 * nothing; the schema reports it.
 *
 * `all` keeps the statuses by which gateways recognise a refusal, 401 and 403; only a group or
 * reason that names such a failure changes its status.
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

/** The settings of a group, with the given status. */
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
  if (node?.kind === 'scalar' && node.value === 'all') return failureReasons;
  // One name by itself is short for a list of it.
  const names = node?.kind === 'list' ? node.items : [node].filter((one) => one !== undefined);
  return names.flatMap((name) => {
    if (name.kind !== 'scalar') return [];
    const code = String(name.value);
    if (Object.hasOwn(reasonsByCode, code)) return reasonsByCode[code] ?? [];
    return isReason(name.value) ? [name.value] : [];
  });
}

function isReason(value: unknown): value is FailureReason {
  return (failureReasons as readonly unknown[]).includes(value);
}

/** A map at the group's position, so that faults point there. */
function mapAt({ at }: MapNode, members: readonly (readonly [string, MapNode])[]): MapNode {
  const entries = members.map(([key, node]): [string, MapEntry] => [key, { keyAt: at, node }]);
  return { kind: 'map', at, entries: new Map(entries) };
}
