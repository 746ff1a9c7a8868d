// Owns the verb `serve`: the process of a server, whatever answers requests behind it. Its signals, its
// control socket, its operators' listener, what it prints, and how it stops.

import { type Config, readConfig } from '../config/config.ts';
import { expectTls } from '../config/tls.ts';
import { createAdminApp } from '../http/admin.ts';
import type { RunningServer } from '../http/server.ts';
import { dateText } from '../lib/duration.ts';
import { formatFault } from '../lib/fault.ts';
import { workerNumber } from '../lib/machine.ts';
import { expose } from '../lib/metrics/exposition.ts';
import { noteReads } from '../lib/read_file.ts';
import { type Control, controlRoutes, openControl } from './control.ts';
import { say } from './ending.ts';
import { type CommandError, exitCodes, misconfigured } from './exit.ts';
import { handedSockets, type ListenerUrls, openAdmin } from './listeners.ts';
import { openLog, type ServerLog } from './log_writer.ts';
import type { ProgrammeOutcome } from './programmes/plan.ts';
import type { ReloadReport } from './reload/report.ts';
import { type Asked, type Listening, Server, type Start } from './server.ts';
import { ignoreSignals, untilSignal } from './signals.ts';
import { StartWait } from './start_wait.ts';
import type { ServiceManager } from './systemd.ts';

export interface ServeOptions {
  readonly config: string;
  readonly acceptClock?: boolean;
}

/** Resolves once a signal has ended the server and its requests are answered. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = openLog();
  try {
    const worker = workerNumber();
    if (worker === undefined) await serveLogging(options, log);
    else await (await import('./workers/worker.ts')).work(worker, log);
  } finally {
    log.end();
  }
}

async function serveLogging(options: ServeOptions, log: ServerLog): Promise<void> {
  ignoreSignals(log, ['SIGHUP', 'SIGUSR1']);
  const handed = handedSockets(process.env);
  const { config: path, acceptClock = false } = options;
  const { result: config, reads } = noteReads(() => readConfig(path));
  const refusal = log.follow(config.log);
  if (refusal !== undefined) throw misconfigured(refusal);
  process.on('SIGWINCH', log.reopen);
  const tls = expectTls(config);
  // The audit stream tells of the very text that was read.
  const digest = reads[0]?.digest ?? '';
  const start = { path, config, digest, tls, acceptClock, handed };
  const manager = await serviceManager(log);
  const wait = new StartWait(start, manager);
  const server = await Promise.race([open(start, log, wait), wait.cut]);
  if (typeof server === 'string') {
    // The try under way may last for a minute, and would serve in the end.
    log.end();
    process.exit(exitCodes.done);
  }
  await run(server, { ...start, manager, wait }, log);
}

async function open(start: Start, log: ServerLog, { onAway }: StartWait): Promise<Asked> {
  if (start.config.workers === 1) return Server.open(start, log, onAway);
  const { Workers } = await import('./workers/workers.ts');
  return Workers.open(start, log, onAway);
}

/** A start, and what stands beside the server from then on. */
interface Started extends Start {
  readonly manager: ServiceManager | undefined;
  readonly wait: StartWait;
}

/** Resolves once a signal has ended the server; rejects once it is lost. */
async function run(server: Asked, start: Started, log: ServerLog): Promise<void> {
  let why = 'told to';
  let lost: CommandError | undefined;
  void server.lost.then((error) => (lost = error));
  // The operators' listener goes last: until then `/readyz` tells load balancers to send no more requests.
  const beside: { control?: Control; admin?: RunningServer } = {};
  try {
    announceFaults(server.outcomes);
    if (!server.outcomes.some(({ isServed }) => isServed)) {
      throw misconfigured(`no programme in ${start.config.programmes} loads`);
    }
    const ending = await answerUntilTold(server, start, log, beside);
    // At Ctrl-C a person waits. FAULTS 5: without its store it has no answers to give.
    if (ending === 'SIGTERM') await Promise.race([server.leave(), server.lost]);
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    await beside.control?.close();
    try {
      await server.stop(lost?.message ?? why);
    } finally {
      await beside.admin?.close();
    }
  }
  // After closing the store, which may fail as well.
  if (lost !== undefined) throw lost;
}

/** @param beside gets what was opened beside the server */
async function answerUntilTold(
  server: Asked,
  { config, handed, manager, wait }: Started,
  log: ServerLog,
  beside: { control?: Control; admin?: RunningServer },
): Promise<NodeJS.Signals | CommandError> {
  // The further workers may have to wait for the store, too.
  const listening = await Promise.race([server.start(), wait.cut]);
  const awaited = await wait.end();
  const app = createAdminApp({
    parts: () => server.health(),
    metrics: async (form) => expose(await server.metrics(), form),
  });
  awaited.admin?.swap(app);
  const admin = awaited.admin ?? (await openAdmin(config, handed, app));
  if (admin !== undefined) beside.admin = admin;
  if (typeof listening === 'string') return 'SIGINT';
  const urls = { ...listening.urls, ...(admin && { admin: admin.url }) };
  const tellReady = ({ programmes }: ReloadReport): void => {
    const served = programmes.filter(({ isServed }) => isServed).length;
    manager?.ready(`${served} of ${programmes.length} programmes at ${urls.main}`);
  };
  // Before anything is printed: its reader may send a signal at once.
  const signalled = awaited.signalled ?? untilSignal(['SIGTERM', 'SIGINT']);
  process.on('SIGUSR2', () => void server.acceptClock());
  let { report } = listening;
  process.removeAllListeners('SIGHUP').on('SIGHUP', () => {
    manager?.reloading();
    const done = server.reload({}, { signal: 'SIGHUP' }).then(
      (reloaded) => (report = reloaded),
      (error: unknown) => log.error('reload_failed', { detail: String(error) }),
    );
    void done.finally(() => tellReady(report));
  });
  beside.control = await openControl(config.control, controlRoutes(server, urls), log);
  announce(config, listening, urls);
  tellReady(report);
  manager?.watch();
  const ending = await Promise.race([signalled, server.lost]);
  manager?.stopping();
  return ending;
}

async function serviceManager(log: ServerLog): Promise<ServiceManager | undefined> {
  if ((process.env['NOTIFY_SOCKET'] ?? '') === '') return undefined;
  const { ServiceManager: Manager } = await import('./systemd.ts');
  return new Manager(log);
}

/** Only errors: `check` shows warnings, and operators have accepted the ones that remain. */
function announceFaults(outcomes: readonly ProgrammeOutcome[]): void {
  for (const { faults } of outcomes) {
    for (const fault of faults) if (fault.severity === 'error') say(formatFault(fault));
  }
  for (const { programme, message } of outcomes) {
    if (message !== undefined) say(`${programme} is not served: ${message}`);
  }
}

function announce(config: Config, { closed, report }: Listening, urls: ListenerUrls): void {
  if (urls.gateway !== undefined) console.log(`gateway: ${urls.gateway}`);
  if (urls.admin !== undefined) console.log(`admin: ${urls.admin}`);
  for (const { programme, createdAt } of closed) {
    console.log(
      `${programme} is in maintenance since ${dateText(createdAt)}: jetway maintenance off ${programme} ends it`,
    );
  }
  const { programmes } = report;
  const names = programmes.flatMap(({ programme, isServed }) => (isServed ? [programme] : []));
  console.log(
    `jetway serves ${names.join(', ')} (${config.environment}) at ${urls.main} as ${config.publicUrl}`,
  );
  const broken = programmes.length - names.length;
  if (broken > 0) {
    console.log(`degraded: ${broken} of ${programmes.length} programmes are not served`);
  }
  for (const { programme, outcome, isServed } of programmes) {
    if (outcome !== 'refused' || !isServed) continue;
    console.log(`degraded: the file of ${programme} has faults, its last good version is served`);
  }
}
