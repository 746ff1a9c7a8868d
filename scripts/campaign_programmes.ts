// Owns `npm run campaign:programmes`: two hundred programmes, half of them foreign dialects, in one
// process beside three: how fast they start, what they weigh idle, what a request costs.

import { setTimeout as sleep } from 'node:timers/promises';

import { executableOption, isNotNegative, isPositive, runCampaign } from './campaign.ts';
import { median, tableOf } from './figures.ts';
import { failuresIn, type Generator, startGenerator } from './load/generator.ts';
import { tokenRequest } from './load/requests.ts';
import {
  jetwayCommand,
  offerTo,
  residentMegabytes,
  type Server,
  startServer,
} from './load/server.ts';
import { measureReload } from './many_programmes/reload.ts';
import { layOutMany, type Site } from './many_programmes/site.ts';

/** What is asked for: milliseconds, of the request thread for a reload, and megabytes. */
const most = { start: 2000, reload: 50, 'longest slice of a reload': 10, idle: 200 } as const;

/**
 * What a request among many may cost, as a multiple of what it costs among few. Processor time is held
 * against it, which other work on the machine disturbs less than requests a second. A programme is to be as
 * fast among many as among few, but for noise; requests for all of them in turn find less of what they need
 * in the caches.
 */
const allowances = { 'one of a kind': 1.1, 'all in turn': 1.3 } as const;

/** What is measured, by its name: a kind of programme, and the requests. */
const traffics = (['opaque', 'jwt'] as const).flatMap((kind) =>
  (['one of a kind', 'all in turn'] as const).map((traffic) => ({
    name: `${kind}, ${traffic}`,
    usual: `${kind}, one of a kind`,
    kind,
    traffic,
  })),
);

/** Of one programme; the median is told. */
const reloads = 20;
/** Of a site, after the first one. */
const starts = 3;
/** Connections that ask for tokens. */
const connections = 16;

/** A server that runs, and what is known of it so far. */
interface Started {
  readonly site: Site;
  readonly server: Server;
  /** Milliseconds of its first start, in which every signing key is made, and of later ones. */
  readonly first: number;
  readonly start: number;
  idle: number;
  /** Microseconds of the server's processor time for a request, of each round, by traffic. */
  readonly costs: Record<string, number[]>;
}

async function startOver(site: Site, command: readonly string[]): Promise<Started> {
  const took: number[] = [];
  for (;;) {
    const server = await startServer(command, site);
    took.push(Math.round(server.started));
    const [first = 0, ...later] = took;
    const start = median(later);
    if (later.length === starts) return { site, server, first, start, idle: 0, costs: {} };
    await server.stop();
  }
}

async function costOf(
  generator: Generator,
  { site, server }: Started,
  { kind, traffic }: (typeof traffics)[number],
  seconds: number,
): Promise<number> {
  const some = site.programmes.filter((programme) => programme.kind === kind);
  const asked = traffic === 'all in turn' ? some : some.slice(0, 1);
  const requests = asked.map(({ id }) => tokenRequest(`/${id}/api/grant`));
  const stream = { name: 'token', port: server.port, requests, connections, rate: 0 };
  const { results, cpu } = await offerTo(generator, [server], [stream], seconds);
  const failures = failuresIn(results);
  if (failures.length > 0) throw new Error(failures.join(', '));
  return cpu / (results[0]?.served.count ?? 0);
}

/** All sites are served all along; one at a time has work to do, in turns. */
async function measure(
  sites: readonly Site[],
  rounds: number,
  seconds: number,
  command: readonly string[],
): Promise<readonly Started[]> {
  const generator = startGenerator();
  const all: Started[] = [];
  try {
    for (const site of sites) all.push(await startOver(site, command));
    await sleep(3000);
    for (const one of all) one.idle = Math.round(residentMegabytes(one.server));
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, one] of all.entries()) {
        for (const traffic of traffics) {
          if (index === 0 && traffic.traffic === 'all in turn') continue;
          const cost = await costOf(generator, one, traffic, seconds);
          if (round >= 0) (one.costs[traffic.name] ??= []).push(cost);
        }
      }
    }
    return all;
  } finally {
    await Promise.all([generator.end(), ...all.map(({ server }) => server.stop())]);
  }
}

await runCampaign(
  {
    command: 'campaign:programmes',
    options: {
      many: ['N', 'programmes beside the three', 200, isPositive],
      rounds: ['N', 'measured rounds; the table shows medians', 7, isPositive],
      seconds: ['S', 'length of one measurement', 1, isPositive],
      slack: ['PERCENT', 'more processor time for a request than is allowed', 0, isNotNegative],
      executable: executableOption,
    },
    fails: 'when a target is missed',
  },
  async ({ many: count, rounds, seconds, slack, executable }, { folder }) => {
    const site = await layOutMany(folder, count, count > 3);
    const sites = [await layOutMany(folder, 3, false), site];
    const [few, many] = await measure(sites, rounds, seconds, jetwayCommand(executable));
    if (few === undefined || many === undefined) throw new Error('no figures');
    const reload = await measureReload(site, reloads);
    const costOfAll = ({ costs }: Started, name: string): number =>
      Math.round(median(costs[name] ?? []));
    const times = [
      ['first start', many.first, most.start],
      ['start', many.start, most.start],
      ['reload', reload.total, most.reload],
      ['longest slice of a reload', reload.longestSlice, most['longest slice of a reload']],
    ] as const;
    const rows = [few, many].flatMap((one) => [
      ['programmes', one.site.programmes.length],
      ['first start, ms', one.first],
      ['start, ms', one.start],
      ['idle, MB', one.idle],
      ...Object.keys(one.costs).map((name) => [`${name}, µs a request`, costOfAll(one, name)]),
    ]);
    return {
      text: `${tableOf(
        rows.map((row) => row.map(String)),
        1,
      )}\nreload of one of ${count}: ${reload.total.toFixed(1)} ms of the request thread, longest slice ${reload.longestSlice.toFixed(1)} ms`,
      faults: many.idle > most.idle ? [`idle: ${many.idle} MB`] : [],
      late: [
        ...times.flatMap(([name, took, limit]) =>
          took > limit ? [`${name}: ${took.toFixed(0)} ms`] : [],
        ),
        ...traffics.flatMap(({ name, usual, traffic }) => {
          const [cost, before] = [costOfAll(many, name), costOfAll(few, usual)];
          return cost > before * allowances[traffic] * (1 + slack / 100)
            ? [`${name}: ${cost} µs beside ${before}`]
            : [];
        }),
      ],
    };
  },
);
