// Owns the guard of CI: what a request costs, as a multiple of the bare server's cost in the same run, must
// stay near the expectation that is committed here.

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

export interface Verdict {
  readonly name: string;
  /** The multiple of the bare server's processor time. */
  readonly measured: number;
  readonly expected: number;
  readonly isGood: boolean;
}

/** A verdict on each path and form of tokens. */
export function judge(measurements: readonly Measurement[]): readonly Verdict[] {
  return Object.entries(expected).flatMap(([path, ofPath]) =>
    formats.map((format) => {
      const cost = (server: ServerName): number =>
        leastCost(
          measurements.filter((one) => one.path === path && one.format === format),
          server,
        );
      const measured = cost('file') / cost('bare');
      const isGood = measured <= ofPath[format] * margin;
      return { name: `${path} ${format}`, measured, expected: ofPath[format], isGood };
    }),
  );
}

/** Microseconds of a request in the best slice: other work on the machine only adds to it. */
function leastCost(measurements: readonly Measurement[], server: ServerName): number {
  return Math.min(...measurements.filter((one) => one.server === server).map(({ cpu }) => cpu));
}

/** For people. */
export function formatVerdict({ name, measured, expected: about, isGood }: Verdict): string {
  const told = `${name.padEnd(28)} ${measured.toFixed(2)} × the bare server, expected ${about}`;
  return isGood ? told : `${told}: more than ${margin} times as much`;
}
