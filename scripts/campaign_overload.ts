// Owns `npm run campaign:overload`: offers ten times what a server can sustain, and finds what is left of
// its goodput, how soon the rest is refused, and who else suffers (FAULTS 22, 23, HOSTILE 70).

import { join } from 'node:path';

import { type Child, startChild } from './bench/child.ts';
import { isPositive, readOptions, runCampaign } from './campaign_options.ts';
import { type Serving, startServing } from './many_programmes/serving.ts';
import {
  type Flood,
  formatFindings,
  goodput,
  judge,
  type Kind,
  type Offered,
  type Round,
} from './overload/findings.ts';
import type { GeneratorCommands, StreamOrder } from './overload/generator.ts';
import { tokenRequest } from './timing/door.ts';
import { client, layOut } from './timing/site.ts';

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

class Campaign {
  readonly #generator: Child<GeneratorCommands>;
  readonly #serving: Serving;
  readonly #options: Options;
  readonly #bearer: string;

  constructor(
    generator: Child<GeneratorCommands>,
    serving: Serving,
    options: Options,
    bearer: string,
  ) {
    this.#generator = generator;
    this.#serving = serving;
    this.#options = options;
    this.#bearer = bearer;
  }

  token(rate: number, connections: number): StreamOrder {
    const requests = [tokenRequest('store', client.id, client.secret)];
    return { name: 'token', port: this.#serving.port, requests, connections, rate };
  }

  verify(rate: number, connections: number): StreamOrder {
    const request = [
      'GET /store/verify/client HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${this.#bearer}`,
    ].join('\r\n');
    const port = this.#serving.gatewayPort;
    return { name: 'verify', port, requests: [`${request}\r\n\r\n`], connections, rate };
  }

  /** Each begins a login. */
  login(rate: number, connections: number): StreamOrder {
    const request = `GET /store/auth/login?client_id=${client.id}&response_type=code HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    return { name: 'login', port: this.#serving.port, requests: [request], connections, rate };
  }

  polite(kind: Kind): StreamOrder {
    return { ...this[kind](politeRate, politeConnections), name: 'polite' };
  }

  health(): StreamOrder {
    const requests = ['GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'];
    const port = this.#serving.adminPort;
    return { name: 'health', port, requests, connections: 2, rate: healthRate };
  }

  async offer(streams: readonly StreamOrder[], seconds = this.#options.seconds): Promise<Offered> {
    const before = this.#serving.cpu();
    const results = await this.#generator.ask('offer', { streams, seconds });
    const cpu = this.#serving.cpu() - before;
    return { results, seconds, cpu };
  }
}

async function flood(campaign: Campaign, kind: Kind, options: Options): Promise<Flood> {
  const { multiple, connections, rounds } = options;
  const busy = [campaign[kind](0, peakConnections), campaign.health()];
  // Until its code is compiled a server is slower.
  await campaign.offer(busy);
  const sustainable = await sustainableRate(campaign, kind, goodput(await campaign.offer(busy)));
  const others = kinds
    .filter((other) => other !== kind)
    .map((other) => campaign[other](sustainable * besideShare, besideConnections));
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const peak = await campaign.offer(busy);
    const streams = [
      campaign[kind](sustainable * multiple, connections),
      campaign.health(),
      campaign.polite(kind),
    ];
    const flooded = await campaign.offer(streams);
    const quiet = await campaign.offer([...others, campaign.health()]);
    const beside = await campaign.offer([...streams, ...others]);
    measured.push({ peak, flooded, quiet, beside });
  }
  return { kind, sustainable, multiple, connections, rounds: measured };
}

async function sustainableRate(campaign: Campaign, kind: Kind, peak: number): Promise<number> {
  for (const share of shares) {
    const { results } = await campaign.offer([campaign[kind](peak * share, sustainedConnections)]);
    const [result] = results;
    if (result === undefined) break;
    const isWhole = result.refused.count === 0 && result.unsent < result.offered / 100;
    if (isWhole && result.served.p99 <= sustainedWithin) return peak * share;
  }
  // Not even this on a machine that does much else.
  return peak * (shares.at(-1) ?? 0);
}

async function run(
  options: Options,
  executable: string | undefined,
  folder: string,
): Promise<readonly Flood[]> {
  const site = await layOut(folder, { members: 1, listeners: ['admin', 'gateway'] });
  const main = join(import.meta.dirname, '../src/main.ts');
  const command = executable === undefined ? [process.execPath, main] : [executable];
  const serving = await startServing(['taskset', '-c', '0', ...command], site);
  const generator = startChild<GeneratorCommands>(
    import.meta.resolve('./overload/generator.ts'),
    [],
    1,
  );
  try {
    const campaign = new Campaign(generator, serving, options, await bearerToken(serving.port));
    const floods: Flood[] = [];
    for (const kind of options.kinds) floods.push(await flood(campaign, kind, options));
    return floods;
  } finally {
    await generator.end();
    await serving.stop();
  }
}

async function bearerToken(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/store/api/grant`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` },
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
    const floods = await run(options, executable, folder);
    const faults = judge(floods, options);
    console.log(
      json ? JSON.stringify({ floods, faults }, null, 2) : formatFindings(floods, faults),
    );
    return faults.length === 0;
  });
}
