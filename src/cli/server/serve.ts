// Owns the verb `serve`: runs the server of a configuration until a signal ends it.

import type { Config } from '../../config/config.ts';
import { expectTls, type TlsReading } from '../../config/tls.ts';
import type { Health } from '../../http/admin.ts';
import { drainTime } from '../../http/connections.ts';
import type { Instant } from '../../lib/clock.ts';
import { formatFault } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { endHashing } from '../../members/password.ts';
import type { Unavailable } from '../../oauth/failure.ts';
import type { Maintenance } from '../../oauth/maintenance.ts';
import type { StoreHealth } from '../../store/keeping.ts';
import { storeAt } from '../../store/open.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OpenStore, openStore } from '../open_store.ts';
import { say } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateText } from '../table.ts';
import { openControl } from './control.ts';
import { leaseNodeNumber, type NodeNumber, startHousekeeping } from './housekeeping.ts';
import { Listeners } from './listeners.ts';
import { openLog, type ServerLog } from './log_writer.ts';
import { maintained } from './maintenance.ts';
import { ignoreSignals, untilSignal } from './process.ts';
import { ProgrammeFolder } from './programme_folder.ts';
import { type ReloadOptions, Reloader } from './reload.ts';
import { Serving } from './serving.ts';
import { candidatesOf, type Plan, planServing } from './serving_plan.ts';
import { Settings, settingsOf } from './settings.ts';
import { controlRoutes } from './status.ts';
import { clockBeside, sharedTime, type SharedTime } from './store_clock.ts';
import { watchFiles } from './watch.ts';

export interface ServeOptions {
  readonly config: string;
  readonly acceptClock?: boolean;
}

/** Resolves once a signal has ended the server and its requests are answered. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = openLog();
  ignoreSignals(log, ['SIGHUP', 'SIGUSR1']);
  try {
    await serveLogging(options, log);
  } finally {
    log.end();
  }
}

async function serveLogging(options: ServeOptions, log: ServerLog): Promise<void> {
  const config = configOf(options);
  const tls = expectTls(config);
  const folder = new ProgrammeFolder(config.programmes);
  const looks = await folder.read();
  const fatal = Promise.withResolvers<Unavailable>();
  let failure: Unavailable | undefined;
  const onFatal = (reason: Unavailable): void => {
    failure = reason;
    fatal.resolve(reason);
  };
  const opened = await openStore(config, { onFatal });
  const { store, keyring } = opened;
  try {
    const { name } = storeAt(config.store);
    const { recorded: from } = await store.time();
    const clock = await clockBeside(opened, name, options.acceptClock ?? false, log);
    const time = sharedTime({ store, clock }, log);
    // Before tokens are issued: commands use the recorded time.
    await time.keep();
    const node = await leaseNodeNumber(store, clock);
    const foundation = present({
      store,
      clock,
      keyring,
      node: node.current,
      log,
      environment: config.environment,
      outage: from && { from, to: clock.now() },
    });
    const serving = new Serving(foundation, settingsOf(config));
    const candidates = await candidatesOf(looks, serving.served, config.publicUrl);
    const plan = await planServing(candidates, serving.served, store, { looks });
    await serving.take(plan);
    announceFaults(plan);
    if (serving.served.size === 0) {
      throw new CommandError(exitCodes.configuration, `no programme in ${config.programmes} loads`);
    }
    const { config: configPath } = options;
    const parts = { configPath, config, folder, plan, serving, log, node, time, tls };
    await run({ ...opened, ...parts, clock, fatal: fatal.promise });
  } finally {
    await store.close();
  }
  // After closing the store, which may fail as well.
  if (failure !== undefined) throw storeFailed(failure);
}

interface Running extends OpenStore {
  readonly configPath: string;
  readonly config: Config;
  readonly tls: TlsReading;
  readonly folder: ProgrammeFolder;
  readonly plan: Plan;
  readonly serving: Serving;
  readonly log: ServerLog;
  readonly node: NodeNumber;
  readonly time: SharedTime;
  /** Resolves when the store can no longer be used. */
  readonly fatal: Promise<Unavailable>;
}

async function run(running: Running): Promise<void> {
  const { log, config, serving, store, clock, time, tls, fatal } = running;
  let stopping: string | undefined;
  let condition: StoreHealth = { status: 'ready' };
  const checkStore = (): void => {
    condition = store.health();
  };
  const health = (): Health => {
    if (stopping !== undefined) return { status: 'unready', reasons: [stopping] };
    if (condition.status !== 'ready') return { status: 'unready', reasons: [condition.detail] };
    const reasons = reloader.troubles();
    return { status: reasons.length === 0 ? 'ready' : 'degraded', reasons };
  };
  const listeners = await Listeners.open(config, tls, serving, health);
  const settings = new Settings(config, tls, serving, listeners);
  const now = (): Instant => clock.now();
  const reloader = new Reloader({ ...running, settings, listeners, now });
  const reload = async (options: ReloadOptions): Promise<void> => {
    await reloader.reload(options).catch((error: unknown) => {
      log.error('reload_failed', { detail: String(error) });
    });
  };
  let failure: Unavailable | undefined;
  const stops: (() => unknown)[] = [];
  try {
    // Before anything is printed: its reader may send a signal at once.
    const signalled = untilSignal(['SIGTERM', 'SIGINT']);
    const sources = { ...running, now, started: now(), listeners, reloader, health };
    const control = await openControl(config.control, controlRoutes(sources), log);
    stops.push(control.close);
    announce(running, listeners, await maintained(store, serving.served.keys()));
    const upkeep = { ...running, services: () => serving.services(), checkStore };
    stops.push(startHousekeeping({ ...upkeep, keepTime: time.keep }));
    if (config.watchProgrammes) stops.push(watchFiles(reloader, reload));
    process.on('SIGUSR2', () => void followClock(running));
    process.removeAllListeners('SIGHUP').on('SIGHUP', () => void reload({}));
    failure = (await Promise.race([signalled, fatal])) ?? undefined;
  } finally {
    stopping = failure?.message ?? 'stopping';
    // Logins that still wait for hashing get an answer instead of a cut connection.
    endHashing(drainTime);
    await Promise.all(stops.map((stop) => stop()));
    await listeners.close();
  }
}

/** FAULTS 5: only a new start can find out what is on the disk. */
function storeFailed({ message }: Unavailable): CommandError {
  return new CommandError(
    exitCodes.store,
    `the server has ended, its store can no longer be used (${message}): look at the disk and the file (jetway store verify), then start again`,
  );
}

async function followClock({ clock, log, time }: Running): Promise<void> {
  try {
    await time.accept();
    // After the store has accepted the time: until then, tokens issued later than it still count.
    log.error('clock_accepted', {
      detail: `the service goes by the machine's clock, ${dateText(clock.now())}; what was issued later than that has ended`,
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

/** Only errors: `check` shows warnings, and operators have accepted the ones that remain. */
function announceFaults({ outcomes }: Plan): void {
  for (const { faults } of outcomes) {
    for (const fault of faults) if (fault.severity === 'error') say(formatFault(fault));
  }
  for (const { programme, message } of outcomes) {
    if (message !== undefined) say(`${programme} is not served: ${message}`);
  }
}
