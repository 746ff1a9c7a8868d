// Owns the PostgreSQL store: the whole contract on one schema of a database that any number of nodes share.

import { instant } from '../../lib/clock.ts';
import type { Unavailable } from '../../oauth/failure.ts';
import type { Environment, Store } from '../contract.ts';
import { leaseVerbs } from '../verbs/leases.ts';
import { sharedVerbs } from '../verbs/verbs.ts';
import { databaseClock } from './clock.ts';
import { countTogether, endedThrottles } from './counters.ts';
import { postgresDb } from './driver.ts';
import { expectReplicas, oneDisk, replicasOf } from './durability.ts';
import { epochs as epochsOf } from './epoch.ts';
import { expectOwnHistory, keepHistory } from './history.ts';
import { nodeLeases } from './leases.ts';
import { forCare, forRequests, Link } from './link/link.ts';
import { Primary } from './link/primary.ts';
import { serversOf } from './link/servers.ts';
import { type PostgresLocation, postgresName } from './location.ts';
import { pastOutages } from './outages.ts';
import { expectSchema } from './schema.ts';
import { analyzeOutgrown, grown } from './statistics.ts';
import { databaseTime } from './time.ts';

export interface PostgresStoreOptions {
  readonly location: PostgresLocation;
  /** A schema belongs to one environment and opens in no other (C-3). */
  readonly environment: Environment;
  /** Read at each connect. */
  readonly password?: () => string;
  /** Told, once, why the store can no longer be used. */
  readonly onFatal?: (reason: Unavailable) => void;
}

/** Connections of a process for requests: of 4, two are mostly busy with writes. */
const usualConnections = 4;

/**
 * Opens the store, and makes its tables where there are none.
 * @throws StoreUnusable for another environment or a newer schema; Unavailable
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { location, environment } = options;
  const primary = new Primary(serversOf(location, options.password));
  const connections = location.connections ?? usualConnections;
  const beat = new Link({ ...forRequests, connections: 1 }, primary);
  const clock = databaseClock();
  const leases = nodeLeases({ link: beat, clock, isServer: options.onFatal !== undefined });
  const guarded = { guard: leases.refusal };
  const link = new Link({ ...forRequests, connections, ...guarded }, primary);
  const care = new Link({ ...forCare, ...guarded }, primary);
  const close = (): void => {
    for (const one of [link, care, beat]) one.close();
  };
  try {
    await care.connect();
    const name = postgresName(location);
    await expectSchema(care, {
      environment,
      schema: location.schema,
      name,
      now: instant(Date.now()),
    });
    await expectOwnHistory(care, name, primary.cluster);
    await keepHistory(care, primary.cluster);
    primary.judgeBy(async (promoted, cluster) => {
      // However long nobody served: a history with this process's last commit is the store's own.
      if (!(await leases.areIn(promoted))) await expectOwnHistory(promoted, name, cluster);
      // Not waited for: a new primary may have no standby yet.
      void keepHistory(care, cluster).catch(() => undefined);
    });
    await expectReplicas(care, name, location);
    const epochs = epochsOf(link);
    const db = postgresDb({ link, care, epochs, written: grown(care) });
    await clock.ask(care);
    const { isRelieved, health, renew } = leases;
    const beating = postgresDb({ link: beat, care: beat, epochs, written: () => undefined });
    const { fallSilent, ...numbers } = leaseVerbs(beating, renew);
    const time = databaseTime(link, isRelieved);
    const verbs = sharedVerbs(db, {
      time,
      recorded: (await time.read()).recorded,
      followed: (await epochs.current()).accepted?.era,
      more: [endedThrottles, pastOutages],
    });
    return {
      ...verbs,
      count: countTogether(link),
      wall: clock.wall,
      ...numbers,
      // One node sweeps for all.
      sweep: async (...call) => {
        await db.flush();
        if (isRelieved()) return 0;
        await analyzeOutgrown(care);
        return verbs.sweep(...call);
      },
      warnings: async () => ((await replicasOf(care)) > 0 ? [] : [oneDisk]),
      health,
      close: async () => {
        await Promise.all([db.flush(link.deadline()), fallSilent()]);
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
