// Owns `npm run campaign:programmes`: two hundred programmes, half of them foreign dialects, in one
// process beside three: how fast they start, what they weigh idle, how many requests they answer.

import { openSync } from 'node:fs';
import { join } from 'node:path';

import { median } from './bench/quantiles.ts';
import {
  isNotNegative,
  isPositive,
  jetwayCommand,
  readOptions,
  runCampaign,
} from './campaign_options.ts';
import { measureReload, type ReloadFigures } from './many_programmes/reload.ts';
import { type Serving, startServing } from './many_programmes/serving.ts';
import { layOut, type Site } from './many_programmes/site.ts';
import { putLoad, type Traffic } from './many_programmes/traffic.ts';
import { startGenerator } from './overload/offering.ts';

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

interface Contestant {
  readonly site: Site;
  readonly serving: Serving;
  readonly traffic: 'one of a kind' | 'all in turn';
  readonly firstStart: number;
  readonly start: number;
}

interface Figures {
  readonly programmes: number;
  /** Which programmes the requests are for. */
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
  /** The file that the servers log to. */
  readonly log: number;
}

/** Starts a site some times over, the first time from nothing; leaves the last one running. */
async function startOver(site: Site, { command, rounds, log }: Options) {
  const first = await startServing(command, site, log);
  const firstStart = first.startMilliseconds;
  await first.stop();
  const starts: number[] = [];
  for (let round = 1; round < Math.min(rounds, 5); round += 1) {
    const again = await startServing(command, site, log);
    starts.push(again.startMilliseconds);
    await again.stop();
  }
  const serving = await startServing(command, site, log);
  return { serving, firstStart, start: median([...starts, serving.startMilliseconds]) };
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
    await new Promise((resolve) => {
      setTimeout(resolve, 3000);
    });
    const idle = contestants.map(({ serving }) => serving.megabytes());
    const seen = contestants.map(() => ({ opaque: [] as Traffic[], jwt: [] as Traffic[] }));
    for (let round = -1; round < options.rounds; round += 1) {
      for (const [index, { site, serving, traffic: reach }] of contestants.entries()) {
        for (const kind of ['opaque', 'jwt'] as const) {
          const paths = site.programmes
            .filter((programme) => programme.kind === kind)
            .slice(0, reach === 'all in turn' ? undefined : 1);
          const traffic = await putLoad(generator, serving, paths, options.seconds);
          if (round >= 0) seen[index]?.[kind].push(traffic);
        }
      }
    }
    return contestants.map(({ site, serving, traffic, firstStart, start }, index) => ({
      programmes: site.programmes.length,
      traffic,
      firstStart: Math.round(firstStart),
      start: Math.round(start),
      idleMegabytes: Math.round(idle[index] ?? 0),
      loadedMegabytes: Math.round(serving.megabytes()),
      opaquePerSecond: middle(seen[index]?.opaque, 'perSecond'),
      opaqueCpu: middle(seen[index]?.opaque, 'cpu'),
      jwtPerSecond: middle(seen[index]?.jwt, 'perSecond'),
      jwtCpu: middle(seen[index]?.jwt, 'cpu'),
    }));
  } finally {
    await Promise.all([generator.end(), ...running.map(({ serving }) => serving.stop())]);
  }
}

function middle(traffic: readonly Traffic[] = [], key: keyof Traffic): number {
  return Math.round(median(traffic.map((one) => one[key])));
}

/** What is missed, in words. */
function missed(
  [few, many, ...others]: readonly Figures[],
  reload: ReloadFigures,
  slack: number,
): readonly string[] {
  if (few === undefined || many === undefined) return ['nothing was measured'];
  const { startMilliseconds, idleMegabytes, reloadMilliseconds, sliceMilliseconds } = targets;
  return [
    ...(reload.total > reloadMilliseconds ? [`reload: ${reload.total} ms`] : []),
    ...(reload.longestSlice > sliceMilliseconds
      ? [`longest slice of a reload: ${reload.longestSlice} ms`]
      : []),
    ...(many.start > startMilliseconds ? [`start: ${many.start} ms`] : []),
    ...(many.firstStart > startMilliseconds ? [`first start: ${many.firstStart} ms`] : []),
    ...(many.idleMegabytes > idleMegabytes ? [`idle: ${many.idleMegabytes} MB`] : []),
    ...[many, ...others].flatMap((figures) =>
      (['opaqueCpu', 'jwtCpu'] as const).flatMap((key) =>
        figures[key] > few[key] * allowances[figures.traffic] * slack
          ? [`${key}, ${figures.traffic}: ${figures[key]} µs beside ${few[key]}`]
          : [],
      ),
    ),
  ];
}

const asked = readOptions(
  usage,
  {
    many: [200, isPositive],
    rounds: [7, isPositive],
    seconds: [1, isPositive],
    slack: [0, isNotNegative],
  },
  ['executable'],
  ['json'],
);
if (asked !== undefined) {
  const { many: count, rounds, seconds, slack, executable, json = false } = asked;
  await runCampaign('programmes', async (folder) => {
    const few = await layOut(folder, 3, false);
    const many = await layOut(folder, count, count > 3);
    const log = openSync(join(folder, 'log'), 'a');
    const command = jetwayCommand(executable);
    const options = { rounds, seconds, command, log };
    const figures = await measure([few, many], options);
    const reload = await measureReload(many, reloads);
    const misses = missed(figures, reload, 1 + slack / 100);
    if (json) console.log(JSON.stringify({ figures, reload, missed: misses }, null, 2));
    else {
      console.table(figures);
      console.log(
        `reload of one of ${count}: ${reload.total.toFixed(1)} ms of the request thread, longest slice ${reload.longestSlice.toFixed(1)} ms`,
      );
      console.log(misses.length === 0 ? 'all targets met' : misses.join('; '));
    }
    return misses.length === 0;
  });
}
