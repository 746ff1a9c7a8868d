// Owns `npm run campaign:overload`: offers ten times what a server can sustain, and finds what is left of
// its goodput, how soon the rest is refused, and who else suffers (FAULTS 22, 23, HOSTILE 70).

import { authorization } from './bench/plan.ts';
import { isPositive, readOptions, runCampaign } from './campaign_options.ts';
import {
  type Flood,
  formatFindings,
  goodput,
  judge,
  type Kind,
  type Offered,
  type Round,
} from './overload/findings.ts';
import type { StreamOrder } from './overload/generator.ts';
import { type Offering, streamsTo, underLoad } from './overload/offering.ts';

const kinds: readonly Kind[] = ['token', 'verify', 'login'];

const usage = `npm run campaign:overload -- [options]
  --seconds S        length of each measurement (2)
  --multiple N       times the sustainable load (10)
  --connections N    of the flood (1000)
  --rounds N         measurements; medians count (3)
  --only KIND        ${kinds.join(', ')}
  --limit P          percent of the peak goodput that has to be kept (80)
  --late MS          in which the rest has to be refused, 99 of 100 times (50)
  --executable FILE  a built jetway instead of the sources
  --json             for programs
Exits 1 when a limit is missed.`;

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
  readonly kinds: readonly Kind[];
}

interface Campaign {
  readonly streams: ReturnType<typeof streamsTo>;
  readonly health: StreamOrder;
  readonly offer: (streams: readonly StreamOrder[]) => Promise<Offered>;
}

async function flood(campaign: Campaign, kind: Kind, options: Options): Promise<Flood> {
  const { multiple, connections, rounds } = options;
  const busy = [campaign.streams[kind](0, peakConnections), campaign.health];
  // Until its code is compiled a server is slower.
  await campaign.offer(busy);
  const sustainable = await sustainableRate(campaign, kind, goodput(await campaign.offer(busy)));
  const others = kinds
    .filter((other) => other !== kind)
    .map((other) => campaign.streams[other](sustainable * besideShare, besideConnections));
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const peak = await campaign.offer(busy);
    const streams = [
      campaign.streams[kind](sustainable * multiple, connections),
      campaign.health,
      { ...campaign.streams[kind](politeRate, politeConnections), name: 'polite' },
    ];
    const flooded = await campaign.offer(streams);
    const quiet = await campaign.offer([...others, campaign.health]);
    const beside = await campaign.offer([...streams, ...others]);
    measured.push({ peak, flooded, quiet, beside });
  }
  return { kind, sustainable, multiple, connections, rounds: measured };
}

async function sustainableRate(campaign: Campaign, kind: Kind, peak: number): Promise<number> {
  for (const share of shares) {
    const { results } = await campaign.offer([
      campaign.streams[kind](peak * share, sustainedConnections),
    ]);
    const [result] = results;
    if (result === undefined) break;
    const isWhole = result.refused.count === 0 && result.unsent < result.offered / 100;
    if (isWhole && result.served.p99 <= sustainedWithin) return peak * share;
  }
  // Not even this on a machine that does much else.
  return peak * (shares.at(-1) ?? 0);
}

async function run(options: Options, { serving, offer }: Offering): Promise<readonly Flood[]> {
  const streams = streamsTo(serving, await bearerToken(serving.port));
  const campaign: Campaign = {
    streams,
    health: streams.health(healthRate, 2),
    offer: (orders) => offer(orders, options.seconds),
  };
  const floods: Flood[] = [];
  for (const kind of options.kinds) floods.push(await flood(campaign, kind, options));
  return floods;
}

async function bearerToken(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/store/api/grant`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return token;
}

const asked = readOptions(
  usage,
  {
    seconds: [2, isPositive],
    multiple: [10, isPositive],
    connections: [1000, isPositive],
    rounds: [3, isPositive],
    limit: [80, isPositive],
    late: [50, isPositive],
  },
  ['only', 'executable'],
  ['json'],
);
if (asked !== undefined) {
  const { only, executable, json } = asked;
  const options = {
    ...asked,
    kinds: kinds.filter((kind) => kind === (only ?? kind)),
    limit: asked.limit / 100,
  };
  await runCampaign('overload', async (folder) => {
    const floods = await underLoad(folder, { members: 1, executable }, (offering) =>
      run(options, offering),
    );
    const faults = judge(floods, options);
    console.log(
      json ? JSON.stringify({ floods, faults }, null, 2) : formatFindings(floods, faults),
    );
    return faults.length === 0;
  });
}
