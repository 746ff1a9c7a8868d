// Owns `npm run campaign:overload`: offers ten times what a server can sustain, and finds what is left of
// its goodput, how soon the rest is refused, and who else suffers (FAULTS 22, 23, HOSTILE 70).

import { executableOption, isPositive, runCampaign } from './campaign.ts';
import { median, tableOf } from './figures.ts';
import type { StreamOrder, StreamResult } from './load/generator.ts';
import { tokensFor } from './load/login.ts';
import { heldMicroseconds, type Offered } from './load/server.ts';
import { streamsTo, tokenPath, underLoad } from './load/under_load.ts';

const kinds = ['token', 'verify', 'login'] as const;
type Kind = (typeof kinds)[number];

/** Connections that keep a server busy all the time, and no more. */
const peakConnections = 64;
/** Enough to send what is due after a moment in which the machine did something else. */
const sustainedConnections = 256;
/** Milliseconds in which a sustained load is answered, 99 of 100 times. */
const sustainedWithin = 50;
/** Shares of the peak that are tried for the sustainable rate, in this order. */
const shares = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];
/** Share of the sustainable rate at which others ask beside a flood. */
const besideShare = 0.1;
const besideConnections = 64;
/** Requests a second of clients that keep to `Retry-After`: each of them asks every five seconds. */
const politeRate = 50;
const politeConnections = 250;
/** Health is asked so many times a second. */
const healthRate = 20;
/** Tries for each round that counts: one in which others had too much of the server's core does not. */
const tries = 4;
/** The most of its core that others may have of a server while it is measured. */
const mostHeld = 0.1;

interface Measured extends Offered {
  /** Share of the time, from 0 to 1, in which other programs had the core that the server was ready to use. */
  readonly held: number;
  /** For how long requests were sent: those of connections that rest are answered later. */
  readonly sentFor: number;
}

/** The same kind of flood once; the flooded kind is the first stream of each. */
interface Round {
  /** All that a server can answer. */
  readonly peak: Measured;
  readonly flooded: Measured;
  /** Others by themselves, and beside the flood. */
  readonly quiet: Measured;
  readonly beside: Measured;
}

interface Target {
  readonly streams: ReturnType<typeof streamsTo>;
  readonly offer: (streams: readonly StreamOrder[]) => Promise<Measured>;
}

interface Options {
  readonly multiple: number;
  readonly connections: number;
  readonly rounds: number;
  /** Percent of the peak goodput that has to be kept, and of others that have to be served. */
  readonly limit: number;
  readonly late: number;
}

/** One kind of request, flooded. */
async function flood(target: Target, kind: Kind, options: Options) {
  const { streams, offer } = target;
  const { multiple, connections, rounds } = options;
  const health = streams.health(healthRate, 2);
  const busy = [streams[kind](0, peakConnections), health];
  // Until its code is compiled a server is slower.
  await offer(busy);
  const sustainable = await sustainableRate(target, kind, goodput(await offer(busy)));
  const others = kinds
    .filter((other) => other !== kind)
    .map((other) => streams[other](sustainable * besideShare, besideConnections));
  const polite = { ...streams[kind](politeRate, politeConnections), name: 'polite' };
  const flooding = [streams[kind](sustainable * multiple, connections), health, polite];
  const measured: Round[] = [];
  const isEnough = (): boolean =>
    measured.filter((one) => heldIn(one) <= mostHeld).length >= rounds;
  for (let left = rounds * tries; left > 0 && !isEnough(); left -= 1) {
    measured.push({
      peak: await offer(busy),
      flooded: await offer(flooding),
      quiet: await offer([...others, health]),
      beside: await offer([...flooding, ...others]),
    });
  }
  // Those that suffered least, where too few count.
  const best = measured.toSorted((one, other) => heldIn(one) - heldIn(other)).slice(0, rounds);
  const title = `${kind} on ${connections} connections, ${multiple} times the ${sustainable.toFixed(0)}/s that are sustained`;
  return {
    held: Math.max(...best.map(heldIn)),
    ...judge(kind, best, options),
    text: textOf(title, best),
  };
}

async function sustainableRate(target: Target, kind: Kind, peak: number): Promise<number> {
  for (const share of shares) {
    const stream = target.streams[kind](peak * share, sustainedConnections);
    const [result] = (await target.offer([stream])).results;
    if (result === undefined) break;
    const isWhole = result.refused.count === 0 && result.unsent < result.offered / 100;
    if (isWhole && result.served.p99 <= sustainedWithin) return peak * share;
  }
  // Not even this on a machine that does much else.
  return peak * (shares.at(-1) ?? 0);
}

/** In the measurement that suffered most. */
function heldIn(round: Round): number {
  return Math.max(...Object.values<Measured>({ ...round }).map(({ held }) => held));
}

/** Answers a second to the first stream, while requests were sent. */
function goodput({ results, sentFor }: Measured): number {
  return (results[0]?.inTime ?? 0) / sentFor;
}

/**
 * The part of the peak's goodput, both by the processor time that the server had: other work on the
 * machine takes more of it at one moment than at another.
 */
function kept({ peak, flooded }: Round): number {
  const [most = 0, is = 0] = [peak, flooded].map(
    ({ results, cpu }) => (results[0]?.served.count ?? 0) / cpu,
  );
  return is / most;
}

function streamOf({ results }: Offered, name: string): StreamResult {
  const found = results.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no stream is named ${name}`);
  return found;
}

/** Answers that nobody should get, and limits that were missed, in words. */
function judge(kind: Kind, rounds: readonly Round[], { limit, late: soon }: Options) {
  const over = (read: (round: Round) => number): number => median(rounds.map(read));
  const share = over(kept);
  const refusal = over(({ flooded }) => streamOf(flooded, 'polite').refused.p99);
  const notServed = (rounds[0]?.quiet.results ?? []).flatMap(({ name }) => {
    const lost = over(({ beside }) => {
      const { unsent, refused, offered } = streamOf(beside, name);
      return (unsent + refused.count) / offered;
    });
    return lost > 1 - limit / 100 ? [`${percent(lost)} of ${name} beside it not served`] : [];
  });
  const late = [
    ...(share < limit / 100 ? [`${percent(share)} of the goodput kept`] : []),
    ...(refusal > soon ? [`refused after ${refusal.toFixed(0)} ms`] : []),
    ...notServed,
  ];
  const faults = rounds
    .flatMap(({ flooded, beside }) => [...flooded.results, ...beside.results])
    .flatMap(({ name, others }) => others.map((one) => `${name} answered ${one}`));
  const told = (words: string): string => `${kind} flood: ${words}`;
  return { faults: faults.map(told), late: late.map(told) };
}

function textOf(title: string, rounds: readonly Round[]): string {
  const byClock = median(rounds.map(({ peak, flooded }) => goodput(flooded) / goodput(peak)));
  const head = ['', 'of a core', 'others', 'offered/s', 'served/s', 'p50', 'p99 ms'];
  const rows = rounds.flatMap((round) =>
    Object.entries<Measured>({ ...round }).flatMap(([name, { results, seconds, cpu, held }]) => [
      [name, percent(cpu / seconds / 1e6), percent(held)],
      ...results.map(({ name: stream, offered, served, refused, unsent }) => [
        `  ${stream}`,
        '',
        '',
        ...[offered, served.count].map((count) => (count / seconds).toFixed(0)),
        ...[served.p50, served.p99].map((time) => time.toFixed(1)),
        (refused.count / seconds).toFixed(0),
        refused.p99.toFixed(1),
        (unsent / seconds).toFixed(0),
      ]),
    ]),
  );
  return [
    title,
    `${percent(median(rounds.map(kept)))} of the goodput is kept for the same processor time, ${percent(byClock)} by the clock (median of ${rounds.length})`,
    `${tableOf([[...head, 'refused/s', 'p99 ms', 'unsent/s'], ...rows], 9)}\n`,
  ].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

await runCampaign(
  {
    command: 'campaign:overload',
    options: {
      seconds: ['S', 'length of each measurement', 2, isPositive],
      multiple: ['N', 'times the sustainable load', 10, isPositive],
      connections: ['N', 'of the flood', 1000, isPositive],
      rounds: ['N', 'measurements; medians count', 3, isPositive],
      limit: ['P', 'percent of the peak goodput that has to be kept', 80, isPositive],
      late: ['MS', 'in which the rest has to be refused, 99 of 100 times', 50, isPositive],
      only: ['KIND', kinds.join(', ')],
      executable: executableOption,
    },
    fails: 'when a limit is missed',
  },
  async (options, { folder }) => {
    const { seconds, only, executable } = options;
    const load = { folder, executable, isPinned: true };
    const floods = await underLoad(load, async ({ server, offer }) => {
      const asked = { grant_type: 'client_credentials' };
      const { access_token: bearer } = await tokensFor(server.port, tokenPath, asked);
      const target: Target = {
        streams: streamsTo(server, bearer),
        offer: async (orders) => {
          const before = heldMicroseconds(server);
          const offered = await offer(orders, seconds);
          const time = Math.max(0, heldMicroseconds(server) - before);
          return { ...offered, held: time / offered.seconds / 1e6, sentFor: seconds };
        },
      };
      const found: Awaited<ReturnType<typeof flood>>[] = [];
      for (const kind of kinds) {
        if (kind === (only ?? kind)) found.push(await flood(target, kind, options));
      }
      return found;
    });
    // Server and generator have a core each: what others take of the rest of the machine harms neither.
    const held = Math.max(...floods.map((one) => one.held));
    return {
      text: floods.map(({ text }) => text).join('\n'),
      faults: floods.flatMap(({ faults }) => faults),
      late: floods.flatMap(({ late }) => late),
      noise: { mean: held, worst: held },
    };
  },
);
