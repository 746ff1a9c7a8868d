// Owns a server that runs, from its listeners to its end: its health, its signals, and how it stops.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Config } from '../../../config/config.ts';
import type { TlsReading } from '../../../config/tls.ts';
import { createAdminApp } from '../../../http/admin.ts';
import { drainTime } from '../../../http/connections.ts';
import type { Instant, Milliseconds } from '../../../lib/clock.ts';
import { endHashing } from '../../../members/password.ts';
import type { Unavailable } from '../../../oauth/failure.ts';
import type { Maintenance } from '../../../oauth/maintenance.ts';
import type { Store } from '../../../store/contract.ts';
import type { StoreHealth } from '../../../store/keeping.ts';
import { storeAt } from '../../../store/open.ts';
import type { ServerAudit } from '../../audit/server_audit.ts';
import type { OpenStore } from '../../open_store.ts';
import { dateText } from '../../table.ts';
import { RecentRefusals } from '../../why/recent_refusals.ts';
import { openControl } from '../control.ts';
import { startHousekeeping } from '../housekeeping.ts';
import { Listeners } from '../listeners.ts';
import type { ServerLog } from '../log_writer.ts';
import { maintained } from '../maintenance.ts';
import { watchProcess } from '../metrics/process.ts';
import { requestMetrics } from '../metrics/requests.ts';
import { exposeServer } from '../metrics/server.ts';
import { Observing } from '../observing.ts';
import type { ProgrammeFolder } from '../programme_folder.ts';
import { type ReloadOptions, Reloader } from '../reload.ts';
import type { Serving } from '../serving.ts';
import type { Plan } from '../serving_plan.ts';
import { Settings } from '../settings.ts';
import { controlRoutes } from '../status.ts';
import { type SharedTime, wallName } from '../store_clock.ts';
import { Tracing } from '../tracing/tracing.ts';
import { watchFiles } from '../watch.ts';
import type { HandedSockets } from './handed_sockets.ts';
import { healthInFull } from './health.ts';
import type { ServerNode } from './node.ts';
import type { ServiceManager } from './service_manager.ts';
import { untilSignal } from './signals.ts';

export interface Running extends OpenStore {
  readonly configPath: string;
  readonly config: Config;
  readonly tls: TlsReading;
  readonly handed: HandedSockets;
  readonly folder: ProgrammeFolder;
  readonly plan: Plan;
  readonly serving: Serving;
  readonly log: ServerLog;
  readonly node: ServerNode;
  readonly time: SharedTime;
  readonly audit?: ServerAudit;
  readonly keyRecords?: Store;
  /** Resolves when the store can no longer be used. */
  readonly fatal: Promise<Unavailable>;
}

/** Resolves once a signal, or the loss of the store, has ended the server. */
export async function run(running: Running): Promise<void> {
  const { log, config, serving, store, clock, time, tls, handed, fatal } = running;
  watchProcess();
  let isStopping = false;
  let condition: StoreHealth = { status: 'ready' };
  const checkStore = (): void => {
    condition = store.health();
  };
  const lost = fatal.then((reason) => {
    condition = { status: 'unusable', detail: reason.message };
    return reason;
  });
  // The next server answers at the same sockets: whoever asks there is not to be sent elsewhere.
  const hasSuccessor = handed.has('listen') && handed.has('admin');
  const refusals = new RecentRefusals(() => clock.now());
  const observing = new Observing(requestMetrics, refusals, log.observer);
  const audited = running.audit?.observer(serving);
  if (audited !== undefined) observing.add(audited);
  const tracing = new Tracing(observing, log);
  await tracing.follow(config);
  const listeners = await Listeners.open(config, tls, serving, handed, observing);
  const settings = new Settings(config, tls, serving, listeners, {
    log: async (found) => log.follow(found.log),
    tracing: (found) => tracing.takeUp(found),
  });
  const now = (): Instant => clock.now();
  const reloader = new Reloader({ ...running, settings, listeners, now });
  const reload = async (options: ReloadOptions): Promise<void> => {
    await reloader.reload(options).catch((error: unknown) => {
      log.error('reload_failed', { detail: String(error) });
    });
  };
  const manager = await serviceManager(log);
  const tellReady = (): void => {
    const { length } = reloader.last.programmes;
    manager?.ready(`${serving.served.size} of ${length} programmes at ${listeners.urls.main}`);
  };
  const stops: (() => unknown)[] = [];
  try {
    // Before anything is printed: its reader may send a signal at once.
    const signalled = untilSignal(['SIGTERM', 'SIGINT']);
    process.on('SIGUSR2', () => void followClock(running));
    process.removeAllListeners('SIGHUP').on('SIGHUP', () => {
      manager?.reloading();
      running.audit?.stream.put('reload_asked', { signal: 'SIGHUP' });
      void reload({}).finally(tellReady);
    });
    const tellsWarnings = config.environment === 'live';
    const tasks = { ...running, services: () => serving.services(), checkStore, tellsWarnings };
    const upkeep = startHousekeeping({ ...tasks, keepTime: time.keep });
    stops.push(upkeep.stop);
    const states = {
      condition: () => condition,
      isLeaving: () => isStopping && !hasSuccessor,
    };
    const parts = { ...running, ...states, now, listeners, reloader, settings, upkeep, refusals };
    const sources = { ...parts, started: now(), site: storeAt(config.store) };
    listeners.answerOperators(
      createAdminApp({
        parts: () => healthInFull(sources),
        metrics: (form) => exposeServer(sources, form),
      }),
    );
    const control = await openControl(config.control, controlRoutes(sources), log);
    // No listener may open after they are closed.
    stops.push(control.close, () => reloader.end());
    announce(running, listeners, await maintained(store, serving.served.keys()));
    stops.push(watchFiles(reloader, settings, reload));
    tellReady();
    manager?.watch();
    const ending = await Promise.race([signalled, lost]);
    isStopping = true;
    manager?.stopping();
    // At Ctrl-C a person waits. FAULTS 5: without its store it has no answers to give.
    const { stopDelay } = settings.config;
    if (ending === 'SIGTERM' && stopDelay > 0) {
      await Promise.race([takeLeave(listeners, stopDelay), lost]);
    }
  } finally {
    // Logins that still wait for hashing get an answer instead of a cut connection.
    endHashing(drainTime);
    await Promise.all(stops.map((stop) => stop()));
    await listeners.close();
    await tracing.end();
  }
}

async function serviceManager(log: ServerLog): Promise<ServiceManager | undefined> {
  if ((process.env['NOTIFY_SOCKET'] ?? '') === '') return undefined;
  const { ServiceManager: Manager } = await import('./service_manager.ts');
  return new Manager(log);
}

/**
 * FAULTS 19: load balancers need time to learn from `/readyz` that they are to send no more; until then
 * everybody is answered. Clients that keep connections are told to leave them when half of it is over,
 * so that they find a load balancer that knows.
 */
async function takeLeave(listeners: Listeners, delay: Milliseconds): Promise<void> {
  const half = (): Promise<void> => sleep(delay / 2, undefined, { ref: false });
  await half();
  listeners.lastAnswers();
  await half();
}

async function followClock({ store, clock, log, time, audit }: Running): Promise<void> {
  try {
    audit?.stream.put('clock_accepted', { signal: 'SIGUSR2' });
    await time.accept();
    // After the store has accepted the time: until then, tokens issued later than it still count.
    log.error('clock_accepted', {
      detail: `the service goes by ${wallName(store)}, ${dateText(clock.now())}; what was issued later than that has ended`,
    });
  } catch (error) {
    log.error('clock_not_accepted', { detail: String(error) });
  }
}

function announce(
  { config, serving, plan }: Running,
  { urls }: Listeners,
  closed: readonly Maintenance[],
): void {
  if (urls.gateway !== undefined) console.log(`gateway: ${urls.gateway}`);
  if (urls.admin !== undefined) console.log(`admin: ${urls.admin}`);
  for (const { programme, createdAt } of closed) {
    console.log(
      `${programme} is in maintenance since ${dateText(createdAt)}: jetway maintenance off ${programme} ends it`,
    );
  }
  const names = [...serving.served.keys()];
  console.log(
    `jetway serves ${names.join(', ')} (${config.environment}) at ${urls.main} as ${config.publicUrl}`,
  );
  const broken = plan.outcomes.length - names.length;
  if (broken > 0) {
    console.log(`degraded: ${broken} of ${plan.outcomes.length} programmes are not served`);
  }
}
