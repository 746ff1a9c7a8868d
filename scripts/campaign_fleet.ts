// Owns `npm run campaign:fleet`: three servers on a PostgreSQL with a synchronous standby, under load,
// while machines die, stop and lose each other. Decides whether one correct server could have given the
// answers (FAULTS 9, 13 to 15, 28 to 30, HOSTILE 29, 30, 57).

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isPositive, isWhole, readOptions, runCampaign } from './campaign_options.ts';
import { Clients } from './fleet/clients.ts';
import { Databases } from './fleet/databases.ts';
import { faultsOf, type Limits, type Occasion, recoveryOf, slowest } from './fleet/findings.ts';
import { FleetNode } from './fleet/node.ts';
import { nodeCommand, patchesOf, plants, shownBy } from './fleet/plants.ts';
import { type Fleet, scenarios } from './fleet/scenarios.ts';
import { layOutFleet } from './fleet/site.ts';
import { throttleFault } from './fleet/throttle.ts';
import { namesOf } from './timing/site.ts';

const usage = `npm run campaign:fleet -- [options]
  --count N          what happens to the fleet, one after another (38: 20 failovers)
  --only NAME        ${scenarios.map(([name]) => `"${name}"`).join(', ')}
  --members N        who are there at the same time (16)
  --delay MS         to the standby, in each direction (5)
  --late MS          in which every request has to be answered (2000)
  --recovery MS      in which every node has to work again (5000)
  --executable FILE  a built jetway instead of the sources
  --plant FAULT      a fault that has to be found: ${plants.join(', ')}, all
  --json             for programs
Exits 1 when anything acknowledged is lost or a limit is missed; with --plant, when nothing is lost.`;

const nodeCount = 3;
/** Milliseconds of load before the first occasion, and after each. */
const quiet = 1500;

interface Result {
  readonly failovers: number;
  readonly logins: number;
  readonly requests: number;
  readonly slowestAnswer: number;
  readonly slowestRecovery: number;
  readonly lost: readonly string[];
  readonly late: readonly string[];
}

interface Options extends Limits {
  readonly count: number;
  readonly members: number;
  readonly delay: number;
  readonly only: string | undefined;
  readonly command: readonly string[];
  readonly isSynchronous: boolean;
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

async function campaign(folder: string, options: Options): Promise<Result> {
  const { delay, isSynchronous, members } = options;
  const databases = await Databases.start({ nodes: nodeCount, delay, isSynchronous });
  const nodes: FleetNode[] = [];
  try {
    const urls = databases.ways.map(
      ([one, other]) =>
        `postgres://jetway@127.0.0.1:${one.port},127.0.0.1:${other.port}/jetway?sslmode=disable`,
    );
    const sites = await layOutFleet(folder, { urls, members });
    for (const [index, site] of sites.entries()) {
      const logFile = join(folder, `node-${index}.log`);
      const node = new FleetNode(index, { command: options.command, site, logFile });
      nodes.push(node);
      await node.start();
    }
    const throttled = await throttleFault(nodes);
    const clients = new Clients(nodes, namesOf('known', members));
    const occasions = await happenAll({ databases, nodes }, clients, options);
    await clients.stop();
    const recoveries = occasions.map(({ mended }) => recoveryOf(clients, nodes, mended));
    const { lost, late } = faultsOf(clients, occasions, nodes, options);
    return {
      failovers: occasions.filter(({ isFailover }) => isFailover).length,
      logins: clients.histories.length,
      requests: clients.requests,
      slowestAnswer: slowest(clients),
      slowestRecovery: Math.round(Math.max(...recoveries)),
      lost: [...(throttled === undefined ? [] : [throttled]), ...lost],
      late,
    };
  } catch (error) {
    const logs = nodes.map(({ index }) => readFileSync(join(folder, `node-${index}.log`), 'utf8'));
    throw new Error(`the campaign broke off:\n${logs.join('').slice(-4000)}`, { cause: error });
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await databases.remove();
  }
}

async function main(): Promise<void> {
  const given = readOptions(
    usage,
    {
      count: [38, isWhole],
      members: [16, isWhole],
      delay: [5, isPositive],
      late: [2000, isPositive],
      recovery: [5000, isPositive],
    },
    ['only', 'executable', 'plant'],
    ['json'],
  );
  if (given === undefined) return;
  const { plant, executable, json = false, only } = given;
  const progress = (text: string): void => void (json || process.stderr.write(text));
  if (plant === 'all') return findAll({ ...given, progress });
  if (plant !== undefined && patchesOf(plant) === undefined) {
    throw new Error(`there is no fault "${plant}"`);
  }
  await runCampaign('fleet', async (folder) => {
    const result = await campaign(folder, {
      ...given,
      only,
      command: nodeCommand(executable, plant),
      isSynchronous: plant !== 'asynchronous',
      progress,
    });
    const { lost, late } = result;
    if (json) console.log(JSON.stringify(result));
    else tell(result);
    // A planted fault is there to be found.
    return plant === undefined ? lost.length + late.length === 0 : lost.length > 0;
  });
}

function tell({ lost, late, ...figures }: Result): void {
  const { failovers, logins, requests, slowestAnswer, slowestRecovery } = figures;
  console.log(
    `${failovers} failovers, ${logins} logins, ${requests} requests, slowest answer ${slowestAnswer} ms, slowest recovery ${slowestRecovery} ms`,
  );
  for (const fault of [...lost, ...late]) console.log(fault);
  if (lost.length === 0) console.log('nothing was lost');
}

/** A fault shows by chance: in this many campaigns at most. */
const mostTries = 3;

/** Plants each fault where it shows, and tells which were found. */
async function findAll(given: Omit<Options, 'only' | 'command' | 'isSynchronous'>): Promise<void> {
  for (const plant of plants) {
    await runCampaign('fleet', async (folder) => {
      for (let tries = 1; tries <= mostTries; tries += 1) {
        const own = join(folder, String(tries));
        mkdirSync(own);
        const { lost } = await campaign(own, {
          ...given,
          count: 3,
          only: shownBy[plant],
          command: nodeCommand(undefined, plant),
          isSynchronous: plant !== 'asynchronous',
        });
        if (lost.length === 0) continue;
        console.log(`${plant}: found. ${lost.slice(0, 2).join('\n')}`);
        return true;
      }
      console.log(`${plant}: NOT FOUND in ${mostTries} campaigns`);
      return false;
    });
  }
}

await main();
