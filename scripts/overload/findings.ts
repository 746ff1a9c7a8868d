// Owns what the overload campaign tells: its figures for people, and where a limit is missed.

import type { Findings } from '../campaign.ts';
import { median } from '../figures.ts';
import type { StreamResult, Times } from '../load/generator.ts';
import type { Offered } from '../load/server.ts';

export type Kind = 'token' | 'verify' | 'login';

export interface Measured extends Offered {
  /** Share of the time, from 0 to 1, in which other programs had the core that the server was ready to use. */
  readonly held: number;
  /** For how long requests were sent: those of connections that rest are answered later. */
  readonly sentFor: number;
}

/** The same kind of flood once; the flooded kind is the first stream of each. */
export interface Round {
  /** All that a server can answer. */
  readonly peak: Measured;
  readonly flooded: Measured;
  /** Others by themselves, and beside the flood. */
  readonly quiet: Measured;
  readonly beside: Measured;
}

/** The most of its core that others may have of a server while it is measured. */
const mostHeld = 0.1;

export function isDisturbed(round: Round): boolean {
  return heldIn(round) > mostHeld;
}

/** In the measurement that suffered most. */
export function heldIn({ peak, flooded, quiet, beside }: Round): number {
  return Math.max(...[peak, flooded, quiet, beside].map(({ held }) => held));
}

/** One kind of request, flooded. */
export interface Flood {
  readonly kind: Kind;
  /** Requests a second. */
  readonly sustainable: number;
  readonly multiple: number;
  readonly connections: number;
  readonly rounds: readonly Round[];
}

/** Answers a second to the first stream, while requests were sent. */
export function goodput({ results, sentFor }: Measured): number {
  return (results[0]?.inTime ?? 0) / sentFor;
}

export interface Limits {
  /** Share of the peak goodput that has to be kept. */
  readonly limit: number;
  /** Milliseconds in which the rest has to be refused, 99 of 100 times. */
  readonly late: number;
}

/** Answers that nobody should get, and limits that were missed, in words. */
export function judge(
  floods: readonly Flood[],
  { limit, late: soon }: Limits,
): Required<Pick<Findings, 'faults' | 'late'>> {
  const late = floods.flatMap(({ kind, rounds }) => {
    const share = median(rounds.map(kept));
    const refusal = median(rounds.map(({ flooded }) => streamOf(flooded, 'polite').refused.p99));
    const notServed = (rounds[0]?.quiet.results ?? []).flatMap(({ name }) => {
      const lost = median(rounds.map(({ beside }) => lostOf(streamOf(beside, name))));
      return lost > 1 - limit ? [`${percent(lost)} of ${name} beside it not served`] : [];
    });
    return [
      ...(share < limit ? [`${percent(share)} of the goodput kept`] : []),
      ...(refusal > soon ? [`refused after ${refusal.toFixed(0)} ms`] : []),
      ...notServed,
    ].map((words) => `${kind} flood: ${words}`);
  });
  const faults = floods.flatMap(({ kind, rounds }) =>
    rounds
      .flatMap(({ flooded, beside }) => [...flooded.results, ...beside.results])
      .flatMap(({ name, others }) => others.map((one) => `${kind} flood: ${name} answered ${one}`)),
  );
  return { faults, late };
}

function lostOf({ unsent, refused, offered }: StreamResult): number {
  return (unsent + refused.count) / offered;
}

function streamOf({ results }: Offered, name: string): StreamResult {
  const found = results.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no stream is named ${name}`);
  return found;
}

/**
 * The part of the peak's goodput, both by the processor time that the server had: other work on the
 * machine takes more of it at one moment than at another.
 */
function kept({ peak, flooded }: Round): number {
  return servedPerTime(flooded) / servedPerTime(peak);
}

function servedPerTime({ results, cpu }: Measured): number {
  return (results[0]?.served.count ?? 0) / cpu;
}

function busyShare({ cpu, seconds }: Offered): number {
  return cpu / seconds / 1e6;
}

export function formatFlood({ kind, sustainable, multiple, connections, rounds }: Flood): string {
  const byClock = median(rounds.map(({ peak, flooded }) => goodput(flooded) / goodput(peak)));
  return [
    `${kind} on ${connections} connections, ${multiple} times the ${sustainable.toFixed(0)}/s that are sustained:`,
    `  ${percent(median(rounds.map(kept)))} of the goodput is kept for the same processor time, ${percent(byClock)} by the clock (median of ${rounds.length})`,
    ...rounds.flatMap(({ peak, flooded, quiet, beside }) => [
      ...table('at the peak', peak),
      ...table('flooded', flooded),
      ...table('others by themselves', quiet),
      ...table('others beside the flood', beside),
    ]),
    '',
  ].join('\n');
}

function usage(offered: Measured): string {
  const answers = offered.results.reduce(
    (sum, one) => sum + one.served.count + one.refused.count,
    0,
  );
  const { held } = offered;
  return `${percent(busyShare(offered))} of a core, others had it ${percent(held)} of the time, ${(offered.cpu / answers).toFixed(0)} µs an answer`;
}

function table(title: string, offered: Measured): string[] {
  const { results, seconds } = offered;
  return [
    `  ${title} (${usage(offered)})`,
    ...results.map((result) => `    ${lineOf(result, seconds)}`),
  ];
}

function lineOf(
  { name, offered, unsent, served, refused, others }: StreamResult,
  seconds: number,
): string {
  const rate = (count: number): string => `${(count / seconds).toFixed(0)}/s`;
  const times = ({ p50, p99 }: Times): string => `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`;
  return [
    name.padEnd(7),
    `offered ${rate(offered)},`,
    `served ${rate(served.count)} (${times(served)}),`,
    `refused ${rate(refused.count)} (${times(refused)}),`,
    `no free connection for ${rate(unsent)}`,
    ...others,
  ].join(' ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
