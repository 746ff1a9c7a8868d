// Owns what the overload campaign tells: its figures for people, and where a limit is missed.

import { median } from '../bench/quantiles.ts';
import type { StreamResult, Times } from './generator.ts';

/** What became of some streams. */
export interface Offered {
  readonly results: readonly StreamResult[];
  readonly seconds: number;
  /** The server's processor time in microseconds. */
  readonly cpu: number;
}

export type Kind = 'token' | 'verify' | 'login';

/** The same kind of flood once; the flooded kind is the first stream of each. */
export interface Round {
  /** All that a server can answer. */
  readonly peak: Offered;
  readonly flooded: Offered;
  /** Others by themselves, and beside the flood. */
  readonly quiet: Offered;
  readonly beside: Offered;
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

/** Answers a second to the first stream. */
export function goodput({ results, seconds }: Offered): number {
  return (results[0]?.served.count ?? 0) / seconds;
}

export interface Limits {
  /** Share of the peak goodput that has to be kept. */
  readonly limit: number;
  /** Milliseconds in which the rest has to be refused, 99 of 100 times. */
  readonly late: number;
}

/** Every limit that was missed, in words. */
export function judge(floods: readonly Flood[], { limit, late }: Limits): readonly string[] {
  return floods.flatMap(({ kind, rounds }) => {
    const faults: string[] = [];
    const words = `${kind} flood:`;
    const share = median(rounds.map(kept));
    if (share < limit) faults.push(`${words} ${percent(share)} of the goodput kept`);
    const refusal = median(rounds.map(({ flooded }) => streamOf(flooded, 'polite').refused.p99));
    if (refusal > late) faults.push(`${words} refused after ${refusal.toFixed(0)} ms`);
    for (const { name, others } of rounds.flatMap(({ flooded, beside }) => [
      ...flooded.results,
      ...beside.results,
    ])) {
      faults.push(...others.map((other) => `${words} ${name} answered ${other}`));
    }
    for (const { name } of rounds[0]?.quiet.results ?? []) {
      const lost = median(rounds.map(({ beside }) => lostOf(streamOf(beside, name))));
      if (lost > 1 - limit)
        faults.push(`${words} ${percent(lost)} of ${name} beside it not served`);
    }
    return faults;
  });
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
  return goodput(flooded) / busyShare(flooded) / (goodput(peak) / busyShare(peak));
}

function busyShare({ cpu, seconds }: Offered): number {
  return cpu / seconds / 1e6;
}

export function formatFindings(floods: readonly Flood[], faults: readonly string[]): string {
  return [...floods.flatMap(formatFlood), ...faults.map((fault) => `MISSED  ${fault}`)].join('\n');
}

function formatFlood({ kind, sustainable, multiple, connections, rounds }: Flood): string[] {
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
  ];
}

function usage(offered: Offered): string {
  const answers = offered.results.reduce(
    (sum, one) => sum + one.served.count + one.refused.count,
    0,
  );
  return `${percent(busyShare(offered))} of a core, ${(offered.cpu / answers).toFixed(0)} µs an answer`;
}

function table(title: string, offered: Offered): string[] {
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
