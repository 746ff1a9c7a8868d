// Owns `npm run campaign:fleet`: three servers on a PostgreSQL with a synchronous standby, under load,
// while machines die, stop and lose each other. Decides whether one correct server could have given the
// answers (FAULTS 9, 13 to 15, 28 to 30, HOSTILE 29, 30, 57).

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { executableOption, type Findings, isPositive, isWhole, runCampaign } from './campaign.ts';
import { judgeHistory, untilFault } from './fleet/checker.ts';
import { Clients, tryPost } from './fleet/clients.ts';
import { Databases } from './fleet/databases.ts';
import { tellHistory } from './fleet/history.ts';
import { FleetNode } from './fleet/node.ts';
import { type Fleet, scenarios } from './fleet/scenarios.ts';
import { layOutFleet, throttleLimit } from './fleet/site.ts';
import { namesOf } from './load/login.ts';
import { jetwayCommand, logOf } from './load/server.ts';

const nodeCount = 3;
/** Milliseconds of load before the first occasion, and after each. */
const quiet = 1500;
/** Impossible histories that are shown. */
const mostShown = 3;
/** Requests of each node's share that are more than the whole limit of the throttle. */
const surplus = 10;
/** Part of that limit by which nodes may be wrong together. */
const tolerance = 0.05;

interface Options {
  readonly count: number;
  readonly only: string | undefined;
  /** Milliseconds in which every request is answered. */
  readonly late: number;
  /** Milliseconds in which each node works again. */
  readonly recovery: number;
}

interface Occasion {
  readonly name: string;
  /** By `performance.now`: from when every node that lives can work again. */
  readonly mended: number;
}

async function happenAll(
  fleet: Fleet,
  { only, count }: Options,
  tell: (occasion: Occasion) => void,
): Promise<readonly Occasion[]> {
  const chosen = Object.entries(scenarios).filter(([name]) => name === (only ?? name));
  const occasions: Occasion[] = [];
  for (let index = 0; index < count; index += 1) {
    const [name, scenario] = chosen[index % chosen.length] ?? [];
    if (name === undefined || scenario === undefined) throw new Error(`there is no "${only}"`);
    await sleep(quiet);
    const mended = (await scenario.run(fleet)) ?? performance.now();
    await sleep(quiet);
    if (scenario.isFailover === true) await fleet.databases.restoreStandby();
    const occasion = { name, mended };
    occasions.push(occasion);
    tell(occasion);
  }
  await sleep(quiet);
  return occasions;
}

/** What was acknowledged and is lost, or was granted twice, in words. */
function lostOf({ histories, strange }: Clients): readonly string[] {
  const judged = Map.groupBy(histories, judgeHistory);
  const { impossible: wrong = [], undecided = [] } = Object.fromEntries(judged);
  const shown = wrong
    .map(untilFault)
    .toSorted((one, other) => one.requests.length - other.requests.length);
  return [
    ...(wrong.length > 0 ? [`${wrong.length} histories that no correct server has`] : []),
    ...shown.slice(0, mostShown).map(tellHistory),
    ...(undecided.length > 0 ? [`${undecided.length} histories undecided: too many at once`] : []),
    ...new Set(strange),
  ];
}

/** Milliseconds from `mended` until the last of the nodes has changed something. */
function recoveryOf({ times }: Clients, { nodes }: Fleet, { mended }: Occasion): number {
  const firsts = nodes.map(({ index }) =>
    times.find(({ at, node, isChange }) => isChange && node === index && at > mended),
  );
  return Math.round(Math.max(...firsts.map((first) => (first?.at ?? Infinity) - mended)));
}

function findingsOf(
  clients: Clients,
  fleet: Fleet,
  occasions: readonly Occasion[],
  limits: Options,
): Required<Omit<Findings, 'noise'>> {
  const failovers = occasions.filter(({ name }) => scenarios[name]?.isFailover === true).length;
  const recoveries = occasions.map((occasion) => ({
    name: occasion.name,
    took: recoveryOf(clients, fleet, occasion),
  }));
  const slowest = Math.round(clients.times.reduce((most, { took }) => Math.max(most, took), 0));
  const late = clients.times.filter(({ took }) => took > limits.late).length;
  const logins = clients.histories.length;
  const recovery = Math.max(...recoveries.map(({ took }) => took));
  return {
    text: `${failovers} failovers, ${logins} logins, ${clients.requests} requests, slowest answer ${slowest} ms, slowest recovery ${recovery} ms`,
    faults: [
      ...lostOf(clients),
      // A node that changes nothing until the campaign ends is lost, not late; the last occasion leaves no time.
      ...recoveries
        .slice(0, -1)
        .flatMap(({ name, took }) =>
          took < Infinity ? [] : [`${name}: a node never worked again`],
        ),
    ],
    late: [
      ...(late > 0
        ? [`${late} requests took more than ${limits.late} ms, ${slowest} ms the longest`]
        : []),
      ...recoveries
        .filter(({ took }) => took > limits.recovery)
        .map(({ name, took }) => `${name}: a node worked again after ${took} ms`),
    ],
  };
}

/** Asks all nodes in turn, more than the limit at each; what is wrong with the number of tokens. */
async function throttleFaults(nodes: readonly FleetNode[]): Promise<readonly string[]> {
  let granted = 0;
  for (let round = 0; round < throttleLimit + surplus; round += 1) {
    const answers = await Promise.all(
      nodes.map(({ port = 0 }) =>
        tryPost(port, '/throttled/api/grant', { grant_type: 'client_credentials' }),
      ),
    );
    granted += answers.filter((one) => typeof one === 'object' && one.status === 200).length;
  }
  if (Math.abs(granted - throttleLimit) <= throttleLimit * tolerance) return [];
  return [`${nodes.length} nodes gave ${granted} tokens within a limit of ${throttleLimit}`];
}

await runCampaign(
  {
    command: 'campaign:fleet',
    options: {
      count: [
        'N',
        'what happens to the fleet, one after another; 20 of 38 are failovers',
        38,
        isWhole,
      ],
      members: ['N', 'who are there at the same time', 16, isWhole],
      delay: ['MS', 'to the standby, in each direction', 5, isPositive],
      late: ['MS', 'in which every request has to be answered', 2000, isPositive],
      recovery: ['MS', 'in which every node has to work again', 5000, isPositive],
      only: ['NAME', Object.keys(scenarios).join(', ')],
      executable: executableOption,
      asynchronous:
        'a fault that has to be found where the standby is silent: no commit waits for it',
    },
    fails: 'when anything acknowledged is lost or a limit is missed',
    isOfMoments: true,
  },
  async ({ delay, members, asynchronous, executable, ...options }, { folder, progress }) => {
    const isSynchronous = !asynchronous;
    const databases = await Databases.start({ nodes: nodeCount, delay, isSynchronous });
    const nodes: FleetNode[] = [];
    const logs: string[] = [];
    try {
      const urls = databases.ways.map(
        ([one, other]) =>
          `postgres://jetway@127.0.0.1:${one.port},127.0.0.1:${other.port}/jetway?sslmode=disable`,
      );
      const sites = await layOutFleet(folder, { urls, members });
      logs.push(...sites.map(logOf));
      for (const [index, site] of sites.entries()) {
        const node = new FleetNode(index, jetwayCommand(executable), site);
        nodes.push(node);
        await node.start();
      }
      const fleet = { databases, nodes };
      const throttled = await throttleFaults(nodes);
      const clients = new Clients(nodes, namesOf('known', members));
      const occasions = await happenAll(fleet, options, (occasion) => {
        const took = recoveryOf(clients, fleet, occasion);
        progress(`${occasion.name}: every node works again after ${took} ms\n`);
      });
      await clients.stop();
      const found = findingsOf(clients, fleet, occasions, options);
      return { ...found, faults: [...throttled, ...found.faults] };
    } catch (error) {
      const told = logs
        .filter((path) => existsSync(path))
        .map((path) => readFileSync(path, 'utf8'));
      throw new Error(`the campaign broke off:\n${told.join('').slice(-4000)}`, { cause: error });
    } finally {
      await Promise.all(nodes.map((node) => node.kill()));
      await databases.remove();
    }
  },
);
