// Owns what happens to a fleet under load: deaths, stops and cuts, and from when it has to work again.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Databases } from './databases.ts';
import type { FleetNode } from './node.ts';

export interface Fleet {
  readonly databases: Databases;
  readonly nodes: readonly FleetNode[];
}

/** By `performance.now`: from when every node that lives can work again, if not from its end. */
type Scenario = (fleet: Fleet) => Promise<number | undefined>;

/** Milliseconds of the longer stops; a node renews its lease and a connection times out in less. */
const longStop = 10_000;

async function failOver(databases: Databases): Promise<number> {
  const died = performance.now();
  await databases.killPrimary();
  await databases.promote();
  return died;
}

/** Commits reach the standby, and their acknowledgement never the primary: nodes find their own marks. */
const primaryKilled: Scenario = async ({ databases }) => {
  databases.replication.freeze(['towards']);
  await sleep(150);
  return failOver(databases);
};

/** Whatever is on the way is lost, and nothing that was acknowledged. */
const primaryKilledAtOnce: Scenario = ({ databases }) => failOver(databases);

/**
 * Commits reach the primary's disk alone. After its restart they can be read there, and who is told of
 * them holds what the standby does not have.
 */
const restartInTheMiddle: Scenario = async ({ databases }) => {
  databases.replication.freeze(['back']);
  await sleep(400);
  await databases.primary.stop('crash');
  await databases.primary.start();
  await sleep(2500);
  return failOver(databases);
};

/** Longer than a node waits for a commit. */
const standbySilent: Scenario = async ({ databases }) => {
  databases.replication.freeze(['back']);
  await sleep(3500);
  return failOver(databases);
};

/** Nobody can write without the standby. */
const standbyKilled: Scenario = async ({ databases }) => {
  await databases.standby.stop('crash');
  await sleep(3000);
  await databases.standby.start();
  await databases.awaitStandby();
  return undefined;
};

const proxyFrozen: Scenario = async ({ databases }) => {
  const ways = [databases.replication, ...databases.waysToPrimary];
  for (const way of ways) way.freeze();
  await sleep(5000);
  for (const way of ways) way.thaw();
  return undefined;
};

/** As a machine that hangs: connections stay open and nothing answers. */
const primaryStopped: Scenario = async ({ databases }) => {
  databases.primary.signal('SIGSTOP');
  await sleep(longStop);
  databases.primary.signal('SIGCONT');
  return undefined;
};

/** After so many milliseconds without the primary a manager may promote: nobody believes it any longer. */
const trusted = 3300;

/** The old primary lives, and one node has no way to any other: it must not believe what it reads. */
const primaryCutOff: Scenario = async ({ databases, nodes }) => {
  databases.replication.freeze();
  const last = nodes.length - 1;
  for (const way of databases.waysToPrimary.slice(0, last)) way.freeze();
  const wayOfLast = databases.ways[last]?.find((way) => way.target !== databases.primary.port);
  wayOfLast?.freeze();
  await sleep(trusted);
  await databases.promote();
  await sleep(5000);
  const { standby: old } = databases;
  for (const way of databases.ways.flat()) {
    way.thaw();
    if (way.target === old.port) way.die();
  }
  await old.stop('crash');
  return undefined;
};

const nodeKilled: Scenario = async ({ nodes }) => {
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  await node?.kill();
  await sleep(1000);
  // The others have to answer all the while.
  await node?.start();
  return undefined;
};

const nodeStopped: Scenario = async ({ nodes }) => {
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  node?.freeze();
  await sleep(longStop);
  node?.thaw();
  return undefined;
};

interface Occasion {
  readonly run: Scenario;
  /** Whether the standby becomes the primary. */
  readonly isFailover?: boolean;
}

/** In this order, again and again; the first two are what a short run has. */
export const scenarios: Readonly<Record<string, Occasion>> = {
  'primary killed': { run: primaryKilled, isFailover: true },
  'primary restarted, then killed': { run: restartInTheMiddle, isFailover: true },
  'standby killed': { run: standbyKilled },
  'primary killed at once': { run: primaryKilledAtOnce, isFailover: true },
  'node killed': { run: nodeKilled },
  'standby silent, primary killed': { run: standbySilent, isFailover: true },
  'proxy frozen': { run: proxyFrozen },
  'primary cut off': { run: primaryCutOff, isFailover: true },
  'node stopped': { run: nodeStopped },
  'primary stopped': { run: primaryStopped },
};
