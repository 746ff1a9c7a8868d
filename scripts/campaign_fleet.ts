// Owns `npm run campaign:fleet`: three servers on a PostgreSQL with a synchronous standby, under load,
// while machines die, stop and lose each other. Decides whether one correct server could have given the
// answers (FAULTS 9, 13 to 15, 28 to 30, HOSTILE 29, 30, 57).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isPositive, isWhole, readOptions, runCampaign } from './campaign_options.ts';
import { Clients } from './fleet/clients.ts';
import { Databases } from './fleet/databases.ts';
import { faultsOf, type Limits, type Occasion, recoveryOf, slowest } from './fleet/findings.ts';
import { FleetNode } from './fleet/node.ts';
import { nodeCommand, patchesOf, plants } from './fleet/plants.ts';
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
  --plant FAULT      a fault that has to be found: ${plants.join(', ')}
  --json             for programs
Exits 1 when anything acknowledged is lost or a limit is missed.`;

const nodeCount = 3;
/** Milliseconds of load before the first occasion, and after each. */
const quiet = 1500;

interface Result {
  readonly failovers: number;
  readonly logins: number;
  readonly requests: number;
  readonly slowestAnswer: number;
  readonly slowestRecovery: number;
  readonly faults: readonly string[];
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
    return {
      failovers: occasions.filter(({ isFailover }) => isFailover).length,
      logins: clients.histories.length,
      requests: clients.requests,
      slowestAnswer: slowest(clients),
      slowestRecovery: Math.round(Math.max(...recoveries)),
      faults: [
        ...(throttled === undefined ? [] : [throttled]),
        ...faultsOf(clients, occasions, nodes, options),
      ],
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
  if (plant !== undefined && patchesOf(plant) === undefined) {
    throw new Error(`there is no fault "${plant}"`);
  }
  await runCampaign('fleet', async (folder) => {
    const { faults, ...figures } = await campaign(folder, {
      ...given,
      only,
      command: nodeCommand(executable, plant),
      isSynchronous: plant !== 'asynchronous',
      progress: (text) => void (json || process.stderr.write(text)),
    });
    if (json) console.log(JSON.stringify({ ...figures, faults }));
    else {
      const { failovers, logins, requests, slowestAnswer } = figures;
      console.log(
        `${failovers} failovers, ${logins} logins, ${requests} requests, slowest answer ${slowestAnswer} ms, slowest recovery ${figures.slowestRecovery} ms`,
      );
      for (const fault of faults) console.log(fault);
      if (faults.length === 0) console.log('nothing was lost');
    }
    // A planted fault is there to be found.
    return plant === undefined ? faults.length === 0 : faults.length > 0;
  });
}

await main();
