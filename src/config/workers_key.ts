// Owns the key `workers` of the configuration: how many processes answer requests.

import { availableParallelism } from 'node:os';

import * as v from 'valibot';

/** More would wait for each other on any machine that is sold today. */
const mostWorkers = 64;

export const workersSchema: v.GenericSchema<unknown, number> = v.union(
  [
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(mostWorkers)),
    v.pipe(
      v.literal('cores'),
      v.transform(() => Math.min(availableParallelism(), mostWorkers)),
    ),
  ],
  `expected a number of processes from 1 to ${mostWorkers}, or cores for as many as there are`,
);

/** Whether several processes on the store answer more requests than one. */
export function sharesStore(store: string): boolean {
  return store.startsWith('postgres');
}
