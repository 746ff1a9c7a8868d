// Owns `npm run campaign:overload`: offers ten times what a server can sustain, and finds what is left of
// its goodput, how soon the rest is refused, and who else suffers (FAULTS 22, 23, HOSTILE 70).

import { executableOption, isPositive, runCampaign } from './campaign.ts';
import { onFirstCore } from './load/child.ts';
import type { StreamOrder } from './load/generator.ts';
import { tokensFor } from './load/login.ts';
import { jetwayCommand, streamsTo, tokenPath, underLoad } from './load/server.ts';
import { layOut, openClub } from './load/site.ts';
import {
  type Flood,
  formatFlood,
  goodput,
  heldIn,
  isDisturbed,
  judge,
  type Kind,
  type Measured,
  type Round,
} from './overload/findings.ts';

const kinds: readonly Kind[] = ['token', 'verify', 'login'];

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

interface Options {
  readonly seconds: number;
  readonly multiple: number;
  readonly connections: number;
  readonly rounds: number;
}

interface Target {
  readonly streams: ReturnType<typeof streamsTo>;
  readonly health: StreamOrder;
  readonly offer: (streams: readonly StreamOrder[]) => Promise<Measured>;
}

/** Tries for each round that counts: one in which others had too much of the server's core does not. */
const tries = 4;

async function flood(target: Target, kind: Kind, options: Options): Promise<Flood> {
  const { streams, health, offer } = target;
  const { multiple, connections, rounds } = options;
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
  for (
    let left = rounds * tries;
    left > 0 && measured.filter((one) => !isDisturbed(one)).length < rounds;
    left -= 1
  ) {
    measured.push({
      peak: await offer(busy),
      flooded: await offer(flooding),
      quiet: await offer([...others, health]),
      beside: await offer([...flooding, ...others]),
    });
  }
  // Those that suffered least, where too few count.
  const best = measured.toSorted((one, other) => heldIn(one) - heldIn(other)).slice(0, rounds);
  return { kind, sustainable, multiple, connections, rounds: best };
}

async function sustainableRate(target: Target, kind: Kind, peak: number): Promise<number> {
  for (const share of shares) {
    const { results } = await target.offer([
      target.streams[kind](peak * share, sustainedConnections),
    ]);
    const [result] = results;
    if (result === undefined) break;
    const isWhole = result.refused.count === 0 && result.unsent < result.offered / 100;
    if (isWhole && result.served.p99 <= sustainedWithin) return peak * share;
  }
  // Not even this on a machine that does much else.
  return peak * (shares.at(-1) ?? 0);
}

await runCampaign(
  {
    command: 'campaign:overload',
    numbers: {
      seconds: ['S', 'length of each measurement', 2, isPositive],
      multiple: ['N', 'times the sustainable load', 10, isPositive],
      connections: ['N', 'of the flood', 1000, isPositive],
      rounds: ['N', 'measurements; medians count', 3, isPositive],
      limit: ['P', 'percent of the peak goodput that has to be kept', 80, isPositive],
      late: ['MS', 'in which the rest has to be refused, 99 of 100 times', 50, isPositive],
    },
    texts: { only: ['KIND', kinds.join(', ')], executable: executableOption },
    fails: 'when a limit is missed',
  },
  async (options, { folder }) => {
    const site = await layOut(folder, { programmes: { store: openClub('store') } });
    const floods = await underLoad(
      onFirstCore(jetwayCommand(options.executable)),
      site,
      async ({ server, offer }) => {
        const asked = { grant_type: 'client_credentials' };
        const { access_token: bearer } = await tokensFor(server.port, tokenPath, asked);
        const streams = streamsTo(server, bearer);
        const target: Target = {
          streams,
          health: streams.health(healthRate, 2),
          offer: async (orders) => {
            const before = server.held();
            const offered = await offer(orders, options.seconds);
            const held = Math.max(0, (server.held() - before) / offered.seconds / 1e6);
            return { ...offered, held, sentFor: options.seconds };
          },
        };
        const found: Flood[] = [];
        for (const kind of kinds) {
          if (kind === (options.only ?? kind)) found.push(await flood(target, kind, options));
        }
        return found;
      },
    );
    const limits = { limit: options.limit / 100, late: options.late };
    const held = floods.flatMap(({ rounds }) => rounds.map(heldIn));
    return {
      figures: { floods },
      text: floods.map(formatFlood).join('\n'),
      ...judge(floods, limits),
      // Server and generator have a core each: what others take of the rest of the machine harms neither.
      noise: { mean: Math.max(...held), worst: Math.max(...held) },
    };
  },
);
