// Owns what the fleet campaign tells: its figures, and where a promise is broken.

import { tryPost } from './act.ts';
import { judgeHistory, untilFault } from './checker.ts';
import type { Clients } from './clients.ts';
import { tellHistory } from './history.ts';
import type { FleetNode } from './node.ts';
import type { Happened } from './scenarios.ts';
import { throttleLimit } from './site.ts';

export interface Occasion extends Happened {
  readonly name: string;
}

export interface Limits {
  /** Milliseconds in which every request is answered. */
  readonly late: number;
  /** Milliseconds in which each node works again. */
  readonly recovery: number;
}

/** Impossible histories that are shown. */
const mostShown = 3;

/** What was acknowledged and is lost, or was granted twice, in words. */
export function lostOf({ histories, strange }: Clients): readonly string[] {
  const verdicts = histories.map((history) => ({ history, verdict: judgeHistory(history) }));
  const wrong = verdicts.filter(({ verdict }) => verdict === 'impossible');
  const shown = wrong
    .map(({ history }) => untilFault(history))
    .toSorted((one, other) => one.requests.length - other.requests.length);
  const undecided = verdicts.filter(({ verdict }) => verdict === 'undecided').length;
  return [
    ...(wrong.length > 0 ? [`${wrong.length} histories that no correct server has`] : []),
    ...shown.slice(0, mostShown).map(tellHistory),
    ...(undecided > 0 ? [`${undecided} histories undecided: too many requests at once`] : []),
    ...new Set(strange),
  ];
}

/** Answers and recoveries that took too long, in words. */
export function lateOf(
  clients: Clients,
  occasions: readonly Occasion[],
  nodes: readonly FleetNode[],
  limits: Limits,
): readonly string[] {
  const { length } = clients.times.filter(({ took }) => took > limits.late);
  const requests = `${length} requests took more than ${limits.late} ms, ${slowest(clients)} ms the longest`;
  return [
    ...(length > 0 ? [requests] : []),
    ...occasions.flatMap(({ name, mended }) => {
      const took = recoveryOf(clients, nodes, mended);
      return took > limits.recovery
        ? [`${name}: a node worked again after ${Math.round(took)} ms`]
        : [];
    }),
  ];
}

/** A node that changes nothing until the campaign ends is lost, not late; the last occasion leaves no time. */
export function deadOf(
  clients: Clients,
  occasions: readonly Occasion[],
  nodes: readonly FleetNode[],
): readonly string[] {
  return occasions
    .slice(0, -1)
    .filter(({ mended }) => recoveryOf(clients, nodes, mended) === Infinity)
    .map(({ name }) => `${name}: a node never worked again`);
}

/** Milliseconds from `mended` until the last of the nodes has changed something. */
export function recoveryOf(
  { times }: Pick<Clients, 'times'>,
  nodes: readonly FleetNode[],
  mended: number,
): number {
  return Math.max(
    ...nodes.map(({ index }) => {
      const first = times.find(
        ({ at, node, isChange }) => isChange && node === index && at > mended,
      );
      return (first?.at ?? Infinity) - mended;
    }),
  );
}

/** Milliseconds of the slowest answer of a node that was there. */
export function slowest({ times }: Pick<Clients, 'times'>): number {
  return Math.round(times.reduce((most, { took }) => Math.max(most, took), 0));
}

/** Requests of each node's share that are more than the whole limit. */
const surplus = 10;
/** Part of the limit by which nodes may be wrong together. */
const tolerance = 0.05;

/** Asks all nodes in turn, more than the limit at each; what is wrong with the number of tokens. */
export async function throttleFaults(nodes: readonly FleetNode[]): Promise<readonly string[]> {
  let granted = 0;
  for (let round = 0; round < throttleLimit + surplus; round += 1) {
    const answers = await Promise.all(
      nodes.map(({ port = 0 }) =>
        tryPost(port, '/throttled/api/grant', { grant_type: 'client_credentials' }),
      ),
    );
    granted += answers.filter((answer) => answer?.status === 200).length;
  }
  if (Math.abs(granted - throttleLimit) <= throttleLimit * tolerance) return [];
  return [`${nodes.length} nodes gave ${granted} tokens within a limit of ${throttleLimit}`];
}
