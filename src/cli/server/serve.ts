// Owns the verb `serve`: runs the server of a configuration until it is told to stop.

import type { Config } from '../../config/config.ts';
import type { Log } from '../../engine/service.ts';
import { createAdminApp, type Health } from '../../http/admin.ts';
import { drainTime } from '../../http/connections.ts';
import type { RunningServer } from '../../http/server.ts';
import { formatFault } from '../../lib/fault.ts';
import { endHashing } from '../../members/password.ts';
import { type Unavailable } from '../../oauth/failure.ts';
import { serverReserve, type StoreHealth } from '../../store/sqlite/store.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { type OpenStore, openStore } from '../open_store.ts';
import { say } from '../output.ts';
import { compileFolder, configOf } from '../programmes.ts';
import { dateText } from '../table.ts';
import { bind } from './bind.ts';
import { keepHouse } from './housekeeping.ts';
import { openLog, type ServerLog } from './log_writer.ts';
import { type NodeNumber, openNodeNumber } from './node_number.ts';
import { buildServing, type Serving } from './serving.ts';
import { clockBeside, sharedTime, type SharedTime } from './store_clock.ts';
import { refuseSignals, untilTold } from './until_told.ts';

export interface ServeOptions {
  readonly config: string;
  readonly acceptClock?: boolean;
}

/** `jetway serve`. Resolves once the server has been told to stop and has finished. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = openLog();
  refuseSignals(log, ['SIGHUP', 'SIGUSR1']);
  try {
    await serveUntilTold(options, log);
  } finally {
    log.end();
  }
}

async function serveUntilTold(options: ServeOptions, log: ServerLog): Promise<void> {
  const config = configOf(options);
  const { programmes, files, credentials } = compileFolder(config.programmes, config.publicUrl);
  const fatal = Promise.withResolvers<Unavailable>();
  let failure: Unavailable | undefined;
  const onFatal = (reason: Unavailable): void => {
    failure = reason;
    fatal.resolve(reason);
  };
  const opened = await openStore(config, { reserve: serverReserve, onFatal });
  try {
    const open = await withTime(opened, options.acceptClock ?? false, log);
    const { store, clock, keyring } = open;
    const time = sharedTime(open, log);
    // Before anything is issued: commands go by it.
    await time.keep();
    const node = await openNodeNumber(store, clock);
    const serving = await buildServing(
      programmes,
      { store, clock, keyring, node: node.current, log, environment: config.environment },
      {
        trustedProxies: config.trustedProxies,
        credentials,
        listener: config.gateway === undefined ? 'all' : 'main',
      },
    );
    const complaints = [
      // Warnings are for `check`: an operator who accepted them need not read them at each start.
      ...files.flatMap(({ faults }) =>
        faults.filter(({ severity }) => severity === 'error').map(formatFault),
      ),
      ...serving.conflicts.map(
        ({ programme, message }) => `${programme.id} is not served: ${message}`,
      ),
    ];
    for (const complaint of complaints) say(complaint);
    if (serving.services.size === 0) {
      throw new CommandError(exitCodes.configuration, `no programme in ${config.programmes} loads`);
    }
    const broken = files.length - serving.services.size;
    await run({ ...open, log, config, serving, broken, node, time, fatal: fatal.promise });
  } finally {
    await opened.store.close();
  }
  // Also what only closing the store has shown.
  if (failure !== undefined) throw storeFailed(failure);
}

async function withTime(open: OpenStore, accept: boolean, log: Log): Promise<OpenStore> {
  const { file, clock } = open;
  if (file === undefined) return open;
  return { ...open, clock: await clockBeside(file, clock, accept, log) };
}

interface Running extends OpenStore {
  readonly log: Log;
  readonly config: Config;
  readonly serving: Serving;
  /** How many programmes are not served. */
  readonly broken: number;
  readonly node: NodeNumber;
  readonly time: SharedTime;
  /** Resolves when the store can no longer be used. */
  readonly fatal: Promise<Unavailable>;
}

async function run(running: Running): Promise<void> {
  const { log, config, serving, broken, store, file, clock, time, fatal } = running;
  let stopping: string | undefined;
  let condition: StoreHealth = { status: 'ready' };
  const look = (): void => {
    condition = file?.check() ?? condition;
  };
  const health = (): Health => {
    if (stopping !== undefined) return { status: 'unready', reasons: [stopping] };
    if (condition.status !== 'ready') return { status: 'unready', reasons: [condition.detail] };
    if (broken === 0) return { status: 'ready', reasons: [] };
    return { status: 'degraded', reasons: [`${broken} programmes are not served`] };
  };
  const server = await bind(config.listen, 'listen', serving.app);
  let gateway: RunningServer | undefined;
  let admin: RunningServer | undefined;
  let stopKeeping: (() => void) | undefined;
  let failure: Unavailable | undefined;
  try {
    if (config.gateway !== undefined) {
      gateway = await bind(config.gateway, 'gateway', serving.gatewayApp, { share: 1 / 4 });
    }
    if (config.admin !== undefined) {
      admin = await bind(config.admin, 'admin', createAdminApp(health), { share: 1 / 8 });
    }
    // Before anybody hears that it runs, and may tell it to stop.
    const told = untilTold(['SIGTERM', 'SIGINT']);
    if (gateway !== undefined) console.log(`gateway: ${gateway.url}`);
    if (admin !== undefined) console.log(`admin: ${admin.url}`);
    announce(config, server, [...serving.services.keys()], broken);
    const services = [...serving.services.values()];
    const keeping = { store, clock, services, log, node: running.node, look };
    stopKeeping = keepHouse({ ...keeping, keepTime: time.keep });
    process.on('SIGUSR2', () => void followClock(running, time));
    failure = (await Promise.race([told, fatal])) ?? undefined;
  } finally {
    stopping = failure?.message ?? 'stopping';
    stopKeeping?.();
    // A login that its turn will not come for is told so, which it would not be by being cut off.
    endHashing(drainTime);
    await Promise.all([server.close(), gateway?.close()]);
    // Last: until requests under way are done, readiness tells that no more should come.
    await admin?.close();
  }
}

/** FAULTS 5: what the disk holds is for another start to find out. */
function storeFailed({ message }: Unavailable): CommandError {
  return new CommandError(
    exitCodes.store,
    `the server has ended, its store can no longer be used (${message}): look at the disk and the file (jetway store verify), then start again`,
  );
}

async function followClock({ clock, log }: Running, time: SharedTime): Promise<void> {
  try {
    await time.accept();
    // Not before the store has taken it over: until then what was issued later than now still counts.
    log.error('clock_accepted', {
      detail: `the service goes by the machine's clock, ${dateText(clock.now())}; what was issued later than that has ended`,
    });
  } catch (error) {
    log.error('clock_not_accepted', { detail: String(error) });
  }
}

function announce(
  config: Config,
  server: RunningServer,
  names: readonly string[],
  broken: number,
): void {
  console.log(
    `jetway serves ${names.join(', ')} (${config.environment}) at ${server.url} as ${config.publicUrl}`,
  );
  if (broken > 0) {
    console.log(`degraded: ${broken} of ${broken + names.length} programmes are not served`);
  }
}
