// Owns `npm run campaign:fleet`: three servers on a PostgreSQL with a synchronous standby, under load,
// while machines die, stop and lose each other. Decides whether one correct server could have given the
// answers (FAULTS 9, 13 to 15, 28 to 30, HOSTILE 29, 30, 57).

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Findings, isPositive, isWhole, runCampaign } from './campaign.ts';
import { Clients } from './fleet/clients.ts';
import { Databases } from './fleet/databases.ts';
import {
  lateOf,
  type Limits,
  lostOf,
  type Occasion,
  recoveryOf,
  slowest,
  throttleFaults,
} from './fleet/findings.ts';
import { FleetNode } from './fleet/node.ts';
import { nodeCommand, type Plant, plants, shownBy } from './fleet/plants.ts';
import { type Fleet, scenarios } from './fleet/scenarios.ts';
import { layOutFleet } from './fleet/site.ts';
import { namesOf } from './load/login.ts';
import { logOf } from './load/server.ts';

const usage = `npm run campaign:fleet -- [options]
  --count N          what happens to the fleet, one after another (38: 20 failovers)
  --only NAME        ${scenarios.map(([name]) => `"${name}"`).join(', ')}
  --members N        who are there at the same time (16)
  --delay MS         to the standby, in each direction (5)
  --late MS          in which every request has to be answered (2000)
  --recovery MS      in which every node has to work again (5000)
  --executable FILE  a built jetway instead of the sources
  --plant FAULT      only this: a fault that has to be found: ${plants.join(', ')}, all
  --json             for programs
Exits 1 when anything acknowledged is lost or a limit is missed; with --plant, when nothing is lost.`;

const nodeCount = 3;
/** Milliseconds of load before the first occasion, and after each. */
const quiet = 1500;

interface Options extends Limits {
  readonly count: number;
  readonly members: number;
  readonly delay: number;
  readonly only?: string | undefined;
  readonly executable?: string | undefined;
  readonly plant?: Plant;
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
  const { delay, members, plant, executable } = options;
  const isSynchronous = plant !== 'asynchronous';
  const databases = await Databases.start({ nodes: nodeCount, delay, isSynchronous });
  const nodes: FleetNode[] = [];
  const logs: string[] = [];
  try {
    const urls = databases.ways.map(
      ([one, other]) =>
        `postgres://jetway@127.0.0.1:${one.port},127.0.0.1:${other.port}/jetway?sslmode=disable`,
    );
    const command = nodeCommand(executable, plant);
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
      faults: [...throttled, ...lostOf(clients)],
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

/** A fault shows by chance: in this many campaigns at most. */
const mostTries = 3;

/** Plants each fault where it shows; those that were not found are faults of the campaign. */
async function findAll(
  chosen: readonly Plant[],
  folder: string,
  options: Options,
): Promise<Findings> {
  const found: Record<string, string> = {};
  for (const plant of chosen) {
    for (let tries = 1; tries <= mostTries && found[plant] === undefined; tries += 1) {
      const own = join(folder, `${plant}-${tries}`);
      mkdirSync(own);
      const { faults } = await campaign(own, { ...options, count: 3, only: shownBy[plant], plant });
      if (faults.length > 0) found[plant] = faults.slice(0, 2).join('\n');
    }
  }
  const faults = chosen.flatMap((plant) =>
    found[plant] === undefined ? [`${plant} was not found in ${mostTries} campaigns`] : [],
  );
  const text = Object.entries(found).map(([plant, told]) => `${plant}: found. ${told}`);
  return { figures: { found }, text: text.join('\n'), faults };
}

await runCampaign(
  {
    name: 'fleet',
    usage,
    numbers: {
      count: [38, isWhole],
      members: [16, isWhole],
      delay: [5, isPositive],
      late: [2000, isPositive],
      recovery: [5000, isPositive],
    },
    texts: ['only', 'executable', 'plant'],
    isOfMoments: true,
  },
  ({ plant, ...given }, { folder, progress }) => {
    if (plant === undefined) return campaign(folder, { ...given, progress });
    const chosen = plants.filter((one) => plant === 'all' || one === plant);
    if (chosen.length === 0) throw new Error(`there is no fault "${plant}"`);
    return findAll(chosen, folder, { ...given, progress });
  },
);
