// Owns the verb `serve`: runs the server of a configuration until a signal ends it.

import type { Config } from '../../config/config.ts';
import { expectTls, type TlsReading } from '../../config/tls.ts';
import { createAdminApp, type Health } from '../../http/admin.ts';
import { drainTime } from '../../http/connections.ts';
import type { RunningServer } from '../../http/server.ts';
import { formatFault } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { endHashing } from '../../members/password.ts';
import type { Unavailable } from '../../oauth/failure.ts';
import type { StoreHealth } from '../../store/keeping.ts';
import { storeAt } from '../../store/open.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OpenStore, openStore } from '../open_store.ts';
import { say } from '../output.ts';
import { compileFolder, configOf } from '../programmes.ts';
import { dateText } from '../table.ts';
import { leaseNodeNumber, type NodeNumber, startHousekeeping } from './housekeeping.ts';
import { openLog, type ServerLog } from './log_writer.ts';
import { maintained } from './maintenance.ts';
import { ignoreSignals, untilSignal } from './process.ts';
import { buildServing, listenAt, type Serving } from './serving.ts';
import { clockBeside, sharedTime, type SharedTime } from './store_clock.ts';

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
  const { programmes, files, credentials } = compileFolder(config.programmes, config.publicUrl);
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
    const serving = await buildServing(
      programmes,
      present({
        store,
        clock,
        keyring,
        node: node.current,
        log,
        environment: config.environment,
        outage: from && { from, to: clock.now() },
      }),
      {
        trustedProxies: config.trustedProxies,
        credentials,
        listener: config.gateway === undefined ? 'all' : 'main',
      },
    );
    for (const { faults } of files) {
      // Only errors: `check` shows warnings, and operators have accepted the ones that remain.
      for (const fault of faults) if (fault.severity === 'error') say(formatFault(fault));
    }
    for (const { programme, message } of serving.conflicts) {
      say(`${programme.id} is not served: ${message}`);
    }
    if (serving.services.size === 0) {
      throw new CommandError(exitCodes.configuration, `no programme in ${config.programmes} loads`);
    }
    const broken = files.length - serving.services.size;
    await run({
      ...opened,
      clock,
      log,
      config,
      tls,
      serving,
      broken,
      node,
      time,
      fatal: fatal.promise,
    });
  } finally {
    await store.close();
  }
  // After closing the store, which may fail as well.
  if (failure !== undefined) throw storeFailed(failure);
}

interface Running extends OpenStore {
  readonly log: ServerLog;
  readonly config: Config;
  readonly tls: TlsReading;
  readonly serving: Serving;
  /** Number of programmes that are not served. */
  readonly broken: number;
  readonly node: NodeNumber;
  readonly time: SharedTime;
  /** Resolves when the store can no longer be used. */
  readonly fatal: Promise<Unavailable>;
}

async function run(running: Running): Promise<void> {
  const { log, config, serving, broken, store, clock, node, time, fatal } = running;
  const { tls, gatewayTls } = running.tls;
  let stopping: string | undefined;
  let condition: StoreHealth = { status: 'ready' };
  const checkStore = (): void => {
    condition = store.health();
  };
  const health = (): Health => {
    if (stopping !== undefined) return { status: 'unready', reasons: [stopping] };
    if (condition.status !== 'ready') return { status: 'unready', reasons: [condition.detail] };
    if (broken === 0) return { status: 'ready', reasons: [] };
    return { status: 'degraded', reasons: [`${broken} programmes are not served`] };
  };
  const server = await listenAt(config.listen, 'listen', serving.app, present({ tls }));
  let gateway: RunningServer | undefined;
  let admin: RunningServer | undefined;
  let stopHousekeeping: (() => void) | undefined;
  let failure: Unavailable | undefined;
  try {
    if (config.gateway !== undefined) {
      const options = present({ share: 1 / 4, tls: gatewayTls });
      gateway = await listenAt(config.gateway, 'gateway', serving.gatewayApp, options);
    }
    if (config.admin !== undefined) {
      admin = await listenAt(config.admin, 'admin', createAdminApp(health), { share: 1 / 8 });
    }
    // Before anything is printed: its reader may send a signal at once.
    const signalled = untilSignal(['SIGTERM', 'SIGINT']);
    if (gateway !== undefined) console.log(`gateway: ${gateway.url}`);
    if (admin !== undefined) console.log(`admin: ${admin.url}`);
    for (const { programme, createdAt } of await maintained(store, serving.services.keys())) {
      const since = dateText(createdAt);
      console.log(
        `${programme} is in maintenance since ${since}: jetway maintenance off ${programme} ends it`,
      );
    }
    announce(running, server.url);
    const services = [...serving.services.values()];
    const upkeep = { store, clock, services, log, node, checkStore };
    stopHousekeeping = startHousekeeping({ ...upkeep, keepTime: time.keep });
    process.on('SIGUSR2', () => void followClock(running));
    failure = (await Promise.race([signalled, fatal])) ?? undefined;
  } finally {
    stopping = failure?.message ?? 'stopping';
    stopHousekeeping?.();
    // Logins that still wait for hashing get an answer instead of a cut connection.
    endHashing(drainTime);
    await Promise.all([server.close(), gateway?.close()]);
    // Last: until then `/ready` tells the load balancer to send no more requests.
    await admin?.close();
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

function announce({ config, serving, broken }: Running, url: string): void {
  const names = [...serving.services.keys()];
  console.log(
    `jetway serves ${names.join(', ')} (${config.environment}) at ${url} as ${config.publicUrl}`,
  );
  if (broken > 0) {
    console.log(`degraded: ${broken} of ${broken + names.length} programmes are not served`);
  }
}
