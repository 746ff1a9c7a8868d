// Owns `npm run campaign:programmes`: two hundred programmes, half of them foreign dialects, in one
// process beside three: how fast they start, what they weigh idle, how many requests they answer.

import { setTimeout as sleep } from 'node:timers/promises';

import { isNotNegative, isPositive, runCampaign } from './campaign.ts';
import { median, tableOf } from './figures.ts';
import { type Generator, startGenerator } from './load/generator.ts';
import { tokenRequest } from './load/requests.ts';
import { jetwayCommand, offerTo, type Server, startServer } from './load/server.ts';
import { measureReload, type ReloadFigures } from './many_programmes/reload.ts';
import { layOutMany, type Site } from './many_programmes/site.ts';

const usage = `npm run campaign:programmes -- [options]
  --many N            programmes beside the three (200)
  --rounds N          measured rounds (7); the table shows medians
  --seconds S         length of one measurement (1)
  --slack PERCENT     more processor time for a request than is allowed otherwise (0)
  --executable FILE   the built executable instead of the sources
  --json              for programs
Exits 1 when a target is missed.`;

/** What the issue asks for. */
const targets = {
  startMilliseconds: 2000,
  idleMegabytes: 200,
  reloadMilliseconds: 50,
  sliceMilliseconds: 10,
} as const;

/**
 * "As fast as with three" is held against processor time for each request, which other work on the
 * machine disturbs less than requests a second. A programme is to be as fast among many as among few,
 * but for noise; requests for all of them in turn find less of what they need in the caches.
 */
const allowances = { 'one of a kind': 1.1, 'all in turn': 1.3 } as const;

/** Whose median is told. */
const reloads = 20;

/** Connections that ask for tokens. */
const connections = 16;

interface Contestant {
  readonly site: Site;
  readonly server: Server;
  /** Which programmes the requests are for. */
  readonly traffic: 'one of a kind' | 'all in turn';
  readonly firstStart: number;
  readonly start: number;
}

interface Figures {
  readonly programmes: number;
  readonly traffic: Contestant['traffic'];
  /** With every signing key still to be made, and with all of them in the store. */
  readonly firstStart: number;
  readonly start: number;
  readonly idleMegabytes: number;
  readonly loadedMegabytes: number;
  readonly opaquePerSecond: number;
  readonly opaqueCpu: number;
  readonly jwtPerSecond: number;
  readonly jwtCpu: number;
}

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly command: readonly string[];
}

/** Starts a site some times over, the first time from nothing; leaves the last one running. */
async function startOver(site: Site, { command, rounds }: Options) {
  const first = await startServer(command, site);
  const firstStart = first.startMilliseconds;
  await first.stop();
  const starts: number[] = [];
  for (let round = 1; round < Math.min(rounds, 5); round += 1) {
    const again = await startServer(command, site);
    starts.push(again.startMilliseconds);
    await again.stop();
  }
  const server = await startServer(command, site);
  return { server, firstStart, start: median([...starts, server.startMilliseconds]) };
}

/** Requests a second, and microseconds of the server's processor time for each. */
type Traffic = readonly [perSecond: number, cpu: number];

async function putLoad(
  generator: Generator,
  { site, server, traffic }: Contestant,
  kind: 'opaque' | 'jwt',
  seconds: number,
): Promise<Traffic> {
  const some = site.programmes.filter((programme) => programme.kind === kind);
  const asked = traffic === 'all in turn' ? some : some.slice(0, 1);
  const requests = asked.map(({ id }) => tokenRequest(`/${id}/api/grant`));
  const stream = { name: 'token', port: server.port, requests, connections, rate: 0 };
  const { results, cpu } = await offerTo(generator, server, [stream], seconds);
  const [result] = results;
  if (result === undefined || result.refused.count > 0 || result.others.length > 0) {
    throw new Error(`answered ${JSON.stringify(result)}`);
  }
  return [result.served.count / seconds, cpu / result.served.count];
}

/** Both sites run all along; one at a time has work to do, in turns. */
async function measure(sites: readonly Site[], options: Options): Promise<readonly Figures[]> {
  const running: Contestant[] = [];
  const generator = startGenerator();
  try {
    for (const site of sites) {
      running.push({ site, traffic: 'one of a kind', ...(await startOver(site, options)) });
    }
    const everywhere = running
      .slice(-1)
      .map((last) => ({ ...last, traffic: 'all in turn' }) as const);
    const contestants: readonly Contestant[] = [...running, ...everywhere];
    await sleep(3000);
    const idle = contestants.map(({ server }) => server.megabytes());
    const seen = contestants.map(() => ({ opaque: [] as Traffic[], jwt: [] as Traffic[] }));
    for (let round = -1; round < options.rounds; round += 1) {
      for (const [index, contestant] of contestants.entries()) {
        for (const kind of ['opaque', 'jwt'] as const) {
          const traffic = await putLoad(generator, contestant, kind, options.seconds);
          if (round >= 0) seen[index]?.[kind].push(traffic);
        }
      }
    }
    return contestants.map(({ site, server, traffic, firstStart, start }, index) => {
      const middle = (kind: 'opaque' | 'jwt', figure: 0 | 1): number =>
        Math.round(median((seen[index]?.[kind] ?? []).map((one) => one[figure])));
      return {
        programmes: site.programmes.length,
        traffic,
        firstStart: Math.round(firstStart),
        start: Math.round(start),
        idleMegabytes: Math.round(idle[index] ?? 0),
        loadedMegabytes: Math.round(server.megabytes()),
        opaquePerSecond: middle('opaque', 0),
        opaqueCpu: middle('opaque', 1),
        jwtPerSecond: middle('jwt', 0),
        jwtCpu: middle('jwt', 1),
      };
    });
  } finally {
    await Promise.all([generator.end(), ...running.map(({ server }) => server.stop())]);
  }
}

/** The times that are missed, in words. */
function lateOf(
  [few, many, ...others]: readonly Figures[],
  reload: ReloadFigures,
  slack: number,
): readonly string[] {
  if (few === undefined || many === undefined) throw new Error('nothing was measured');
  const { startMilliseconds, reloadMilliseconds, sliceMilliseconds } = targets;
  const overs = [
    ['reload', reload.total, reloadMilliseconds],
    ['longest slice of a reload', reload.longestSlice, sliceMilliseconds],
    ['start', many.start, startMilliseconds],
    ['first start', many.firstStart, startMilliseconds],
  ] as const;
  return [
    ...overs.flatMap(([name, took, most]) =>
      took > most ? [`${name}: ${took.toFixed(0)} ms`] : [],
    ),
    ...[many, ...others].flatMap((figures) =>
      (['opaqueCpu', 'jwtCpu'] as const).flatMap((key) =>
        figures[key] > few[key] * allowances[figures.traffic] * slack
          ? [`${key}, ${figures.traffic}: ${figures[key]} µs beside ${few[key]}`]
          : [],
      ),
    ),
  ];
}

await runCampaign(
  {
    name: 'programmes',
    usage,
    numbers: {
      many: [200, isPositive],
      rounds: [7, isPositive],
      seconds: [1, isPositive],
      slack: [0, isNotNegative],
    },
    texts: ['executable'],
  },
  async ({ many: count, slack, executable, ...options }, { folder }) => {
    const few = await layOutMany(folder, 3, false);
    const many = await layOutMany(folder, count, count > 3);
    const command = jetwayCommand(executable);
    const figures = await measure([few, many], { ...options, command });
    const reload = await measureReload(many, reloads);
    const heavy = figures.find(
      ({ programmes, idleMegabytes }) =>
        programmes === count && idleMegabytes > targets.idleMegabytes,
    );
    const names = Object.keys(figures[0] ?? {}) as (keyof Figures)[];
    const rows = figures.map((row) => names.map((name) => String(row[name])));
    return {
      figures: { rows: figures, reload },
      text: `${tableOf([names, ...rows], names.length)}\nreload of one of ${count}: ${reload.total.toFixed(1)} ms of the request thread, longest slice ${reload.longestSlice.toFixed(1)} ms`,
      faults: heavy === undefined ? [] : [`idle: ${heavy.idleMegabytes} MB`],
      late: lateOf(figures, reload, 1 + slack / 100),
    };
  },
);
