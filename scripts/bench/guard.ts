// Owns the guard of CI: what a request costs, as a multiple of the bare server's cost in the same run, must
// stay near the expectation that is committed here.

import type { Findings } from '../campaign.ts';
import { type Format, formats, type ServerName } from './contestants.ts';
import { type Measurement, type Path, type Plan, careful } from './measure.ts';

/** Processor time of a request on the file store, as a multiple of the bare server's for the same path. */
const expected: Readonly<Record<Path, Readonly<Record<Format, number>>>> = {
  client_credentials: { opaque: 3, ES256: 5 },
  authorization_code: { opaque: 6.5, ES256: 9 },
  refresh_token: { opaque: 5.5, ES256: 8 },
  verify: { opaque: 3.5, ES256: 4.5 },
};

/** Generous: the machine of CI is another one, and is shared. */
const margin = 2;

export const guardPlan: Plan = {
  ...careful,
  servers: ['file'],
  warmUps: 1,
  warmUpSeconds: 0.8,
  rounds: 4,
  seconds: 0.15,
  codes: 2000,
};

/** A line for each path and form of tokens, and those that cost too much. */
export function judge(measurements: readonly Measurement[]): Findings {
  const verdicts = Object.entries(expected).flatMap(([path, ofPath]) =>
    formats.map((format) => {
      // The best slice: other work on the machine only adds to it.
      const cost = (name: ServerName): number =>
        Math.min(
          ...measurements.flatMap((one) =>
            one.path === path && one.format === format && one.server === name ? [one.cpu] : [],
          ),
        );
      const measured = cost('file') / cost('bare');
      const usual = ofPath[format];
      const told = `${`${path} ${format}`.padEnd(28)} ${measured.toFixed(2)} × the bare server, expected ${usual}`;
      return measured <= usual * margin
        ? { told }
        : { told, late: `${told}: more than ${margin} times as much` };
    }),
  );
  return {
    text: verdicts.map(({ told }) => told).join('\n'),
    faults: [],
    late: verdicts.flatMap(({ late }) => late ?? []),
  };
}
