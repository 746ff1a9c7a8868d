// Owns the guard of CI: what a request costs on each store, as a multiple of the floor's cost in the
// same run, must stay near the expectation that is committed here.

import type { Measurement } from './measure.ts';
import { type Format, formats, type Plan, quick, workloads } from './plan.ts';

type Store = 'memory' | 'file';
type Expected = Readonly<Record<Store, Readonly<Record<Format, number>>>>;

/** CPU per request, as a multiple of the floor's for the same path with opaque tokens. */
const expected: Readonly<Record<string, Expected>> = {
  client_credentials: { memory: { opaque: 1.2, ES256: 2.6 }, file: { opaque: 1.1, ES256: 2.1 } },
  authorization_code: { memory: { opaque: 1.8, ES256: 3.2 }, file: { opaque: 2.1, ES256: 2.9 } },
  refresh_token: { memory: { opaque: 1.4, ES256: 2.9 }, file: { opaque: 1.7, ES256: 2.9 } },
  verify_10000: { memory: { opaque: 1.7, ES256: 1.9 }, file: { opaque: 1.8, ES256: 1.9 } },
};

/** Generous: the machine of CI is another one, and is shared. */
const margin = 2;

const floorOf = { memory: 'map', file: 'sqlite' } as const satisfies Readonly<
  Record<Store, string>
>;

export const guardPlan: Plan = {
  ...quick,
  workloads: workloads.filter(({ path }) => path in expected),
  servers: ['map', 'sqlite', 'memory', 'file'],
  warmUps: 1,
  warmUpSeconds: 0.8,
  rounds: 4,
  seconds: 0.15,
  mostRequests: 4000,
};

export interface Verdict {
  readonly name: string;
  /** The multiple of the floor's CPU time. */
  readonly measured: number;
  readonly expected: number;
  readonly isGood: boolean;
}

/** A verdict on each path, store and form of tokens. */
export function judge(measurements: readonly Measurement[]): readonly Verdict[] {
  const verdict = (path: string, store: Store, format: Format, expectation: number): Verdict => {
    const floor = leastCost(measurements, { path, format: 'opaque', server: floorOf[store] });
    const measured = leastCost(measurements, { path, format, server: store }) / floor;
    const isGood = measured <= expectation * margin;
    return { name: `${path} ${format} ${store}`, measured, expected: expectation, isGood };
  };
  return Object.entries(expected).flatMap(([path, { memory, file }]) =>
    formats.flatMap((format) => [
      verdict(path, 'memory', format, memory[format]),
      verdict(path, 'file', format, file[format]),
    ]),
  );
}

/** Microseconds of CPU a request in the best slice: other work on the machine only adds to it. */
function leastCost(
  measurements: readonly Measurement[],
  { path, format, server }: Pick<Measurement, 'path' | 'format' | 'server'>,
): number {
  const costs = measurements
    .filter((one) => one.path === path && one.format === format && one.server === server)
    .map(({ before, after, load }) => (after.cpu - before.cpu) / load.requests);
  return Math.min(...costs);
}

/** For people: a line for each verdict. */
export function formatVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts
    .map(({ name, measured, expected: about, isGood }) => {
      const told = `${name.padEnd(34)} ${measured.toFixed(2)} × the floor, expected ${about}`;
      return isGood ? told : `${told}: more than ${margin} times as much`;
    })
    .join('\n');
}
