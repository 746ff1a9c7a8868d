// Owns the look whether a throttle counts for all nodes together (HOSTILE 57).

import { post } from './act.ts';
import type { FleetNode } from './node.ts';
import { throttleLimit } from './site.ts';

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
        post(port, '/throttled/api/grant', { grant_type: 'client_credentials' }),
      ),
    );
    granted += answers.filter((answer) => answer?.status === 200).length;
  }
  if (Math.abs(granted - throttleLimit) <= throttleLimit * tolerance) return [];
  return [`${nodes.length} nodes gave ${granted} tokens within a limit of ${throttleLimit}`];
}
