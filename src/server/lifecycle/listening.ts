// Owns a process that answers requests, from its listeners to their end: who observes requests, and what is
// done beside them.

import { usualTimeLimits } from '../../http/server.ts';
import { endHashing } from '../../members/password.ts';
import type { Unavailable } from '../../oauth/failure.ts';
import type { Store } from '../../store/contract.ts';
import type { StoreHealth } from '../../store/keeping.ts';
import type { Start } from '../answering.ts';
import type { ServerAudit } from '../audit/server_audit.ts';
import { startHousekeeping } from '../housekeeping.ts';
import { Listeners } from '../listeners.ts';
import type { ServerLog } from '../log_writer.ts';
import { watchProcess } from '../metrics/process.ts';
import { Observing } from '../observing.ts';
import type { OpenStore } from '../open_store.ts';
import { Reloader } from '../reload/reloader.ts';
import { requestMetrics } from '../requests/metrics.ts';
import { RecentRefusals } from '../requests/recent_refusals.ts';
import type { Serving } from '../serving.ts';
import type { Plan } from '../serving_plan.ts';
import { Settings } from '../settings.ts';
import type { SharedTime } from '../store_clock.ts';
import { Tracing } from '../tracing/tracing.ts';
import type { ServerNode } from './node.ts';
import type { ProcessParts } from './process_parts.ts';

/** All that is open before anything listens. */
export interface Site extends OpenStore {
  readonly start: Start;
  readonly log: ServerLog;
  readonly serving: Serving;
  readonly plan: Plan;
  readonly node: ServerNode;
  readonly time: SharedTime;
  readonly audit?: ServerAudit;
  readonly keyRecords?: Store;
  /** Resolves when the store can no longer be used. */
  readonly fatal: Promise<Unavailable>;
}

/** A process that answers requests. */
export interface ListeningProcess extends ProcessParts {
  /** Is unready from now on. */
  readonly stopping: () => void;
  readonly close: () => Promise<void>;
  /** Sends what is left of its traces. */
  readonly end: () => Promise<void>;
}

export async function listen(site: Site): Promise<ListeningProcess> {
  const { start, log, serving, plan, store, clock, time, fatal } = site;
  const { config, tls, handed, former } = start;
  const started = clock.now();
  watchProcess();
  let isStopping = false;
  let condition: StoreHealth = { status: 'ready' };
  void fatal.then(({ message }) => (condition = { status: 'unusable', detail: message }));
  const refusals = new RecentRefusals(() => clock.now());
  const observing = new Observing(requestMetrics, refusals, log.observer);
  const audited = site.audit?.observer(serving);
  if (audited !== undefined) observing.add(audited);
  const tracing = new Tracing(observing, log);
  await tracing.follow(config);
  const listeners = await Listeners.open(config, tls, serving, handed, observing);
  const settings = new Settings(config, tls, serving, listeners, {
    log: async (found) => log.follow(found.log),
    tracing: (found) => tracing.takeUp(found),
  });
  const begun = { at: started, programmes: plan.outcomes, settings: [], faults: [] };
  const reloader = new Reloader({ ...site, settings, listeners }, former?.last ?? begun);
  const upkeep = startHousekeeping({
    ...site,
    services: () => serving.services(),
    keepTime: time.keep,
    checkStore: () => {
      condition = store.health();
    },
    tellsWarnings: config.environment === 'live',
  });
  // The next server answers at the same sockets: whoever asks there is not to be sent elsewhere.
  const hasSuccessor = handed.has('listen') && handed.has('admin');
  return {
    ...site,
    config,
    started,
    refusals,
    listeners,
    settings,
    reloader,
    upkeep,
    condition: () => condition,
    isLeaving: () => isStopping && !hasSuccessor,
    stopping: () => {
      isStopping = true;
    },
    close: async () => {
      // Logins that still wait for hashing get an answer instead of a cut connection.
      endHashing(usualTimeLimits.drainTime);
      upkeep.stop();
      await listeners.close();
    },
    end: () => tracing.end(),
  };
}
