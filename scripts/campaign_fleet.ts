// Owns `npm run campaign:fleet`: three servers on a PostgreSQL with a synchronous standby, under load,
// while machines die, stop and lose each other. Decides whether one correct server could have given the
// answers (FAULTS 9, 13 to 15, 28 to 30, HOSTILE 29, 30, 57).

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { executableOption, type Findings, isPositive, isWhole, runCampaign } from './campaign.ts';
import { Clients } from './fleet/clients.ts';
import { Databases } from './fleet/databases.ts';
import {
  deadOf,
  lateOf,
  type Limits,
  lostOf,
  type Occasion,
  recoveryOf,
  slowest,
  throttleFaults,
} from './fleet/findings.ts';
import { FleetNode } from './fleet/node.ts';
import { type Fleet, scenarios } from './fleet/scenarios.ts';
import { layOutFleet } from './fleet/site.ts';
import { namesOf } from './load/login.ts';
import { jetwayCommand, logOf } from './load/server.ts';

const nodeCount = 3;
/** Milliseconds of load before the first occasion, and after each. */
const quiet = 1500;

interface Options extends Limits {
  readonly count: number;
  readonly members: number;
  readonly delay: number;
  readonly only?: string | undefined;
  readonly executable?: string | undefined;
  readonly asynchronous?: boolean;
  readonly progress: (text: string) => void;
}

async function happenAll(fleet: Fleet, clients: Clients, options: Options): Promise<Occasion[]> {
  const { only, count, progress } = options;
  const chosen = scenarios.filter(([name]) => only === undefined || name === only);
  const occasions: Occasion[] = [];
  for (let index = 0; index < count; index += 1) {
    const [name, happen] = chosen[index % chosen.length] ?? [];
    if (name === undefined || happen === undefined) throw new Error(`there is no "${only}"`);
    await sleep(quiet);
    const happened = await happen(fleet);
    await sleep(quiet);
    if (happened.isFailover) await fleet.databases.restoreStandby();
    occasions.push({ name, ...happened });
    const took = Math.round(recoveryOf(clients, fleet.nodes, happened.mended));
    progress(`${name}: every node works again after ${took} ms\n`);
  }
  await sleep(quiet);
  return occasions;
}

async function campaign(folder: string, options: Options): Promise<Findings> {
  const { delay, members, asynchronous, executable } = options;
  const isSynchronous = asynchronous !== true;
  const databases = await Databases.start({ nodes: nodeCount, delay, isSynchronous });
  const nodes: FleetNode[] = [];
  const logs: string[] = [];
  try {
    const urls = databases.ways.map(
      ([one, other]) =>
        `postgres://jetway@127.0.0.1:${one.port},127.0.0.1:${other.port}/jetway?sslmode=disable`,
    );
    const command = jetwayCommand(executable);
    const sites = await layOutFleet(folder, { urls, members });
    logs.push(...sites.map(logOf));
    for (const [index, site] of sites.entries()) {
      const node = new FleetNode(index, { command, site });
      nodes.push(node);
      await node.start();
    }
    const throttled = await throttleFaults(nodes);
    const clients = new Clients(nodes, namesOf('known', members));
    const occasions = await happenAll({ databases, nodes }, clients, options);
    await clients.stop();
    const failovers = occasions.filter(({ isFailover }) => isFailover).length;
    const logins = clients.histories.length;
    const { requests } = clients;
    const recoveries = occasions.map(({ mended }) => recoveryOf(clients, nodes, mended));
    const slowestRecovery = Math.round(Math.max(...recoveries));
    const slowestAnswer = slowest(clients);
    return {
      figures: { failovers, logins, requests, slowestAnswer, slowestRecovery },
      text: `${failovers} failovers, ${logins} logins, ${requests} requests, slowest answer ${slowestAnswer} ms, slowest recovery ${slowestRecovery} ms`,
      faults: [...throttled, ...lostOf(clients), ...deadOf(clients, occasions, nodes)],
      late: lateOf(clients, occasions, nodes, options),
    };
  } catch (error) {
    const told = logs.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
    throw new Error(
      `the campaign broke off:
${told.join('').slice(-4000)}`,
      { cause: error },
    );
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await databases.remove();
  }
}

await runCampaign(
  {
    command: 'campaign:fleet',
    numbers: {
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
    },
    texts: {
      only: ['NAME', scenarios.map(([name]) => `"${name}"`).join(', ')],
      executable: executableOption,
    },
    flags: {
      asynchronous:
        'a fault that has to be found where the standby is silent: no commit waits for it',
    },
    fails: 'when anything acknowledged is lost or a limit is missed',
    isOfMoments: true,
  },
  (options, { folder, progress }) => campaign(folder, { ...options, progress }),
);
