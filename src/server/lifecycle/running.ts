// Owns the front of a server that runs, whatever answers requests behind it: its signals, its control
// socket, its operators' listener, and how it stops.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Config } from '../../config/config.ts';
import { createAdminApp } from '../../http/admin.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import { dateText } from '../../lib/duration.ts';
import { formatFault } from '../../lib/fault.ts';
import { expose } from '../../lib/metrics/exposition.ts';
import type { Answering, Listening, Opened } from '../answering.ts';
import { openControl } from '../control.ts';
import { say } from '../ending.ts';
import { type CommandError, misconfigured } from '../exit.ts';
import { type ListenerUrls, openAdmin } from '../listeners.ts';
import type { ServerLog } from '../log_writer.ts';
import type { ServerFiles } from '../reload/reading.ts';
import { Reloads } from '../reload/reloads.ts';
import type { ReloadOptions } from '../reload/report.ts';
import { watchFiles } from '../reload/watch.ts';
import { controlRoutes } from '../routes.ts';
import type { ProgrammeOutcome } from '../serving_plan.ts';
import type { HandedSockets } from './handed_sockets.ts';
import type { ServiceManager } from './service_manager.ts';
import { untilSignal } from './signals.ts';

interface Running extends Opened {
  readonly config: Config;
  readonly files: ServerFiles;
  readonly handed: HandedSockets;
  readonly log: ServerLog;
}

/** Resolves once a signal has ended the server and its requests are answered; rejects once it is lost. */
export async function run(running: Running): Promise<void> {
  const { answering, config, outcomes } = running;
  let why = '';
  let lost: CommandError | undefined;
  void answering.lost.then((error) => (lost = error));
  try {
    announceFaults(outcomes);
    if (!outcomes.some(({ isServed }) => isServed)) {
      throw misconfigured(`no programme in ${config.programmes} loads`);
    }
    await answerUntilTold(running);
    why = lost?.message ?? 'told to';
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    await answering.end(why);
  }
  // After closing the store, which may fail as well.
  if (lost !== undefined) throw lost;
}

async function answerUntilTold(running: Running): Promise<void> {
  const { log, config, files, handed, answering } = running;
  const stops: (() => unknown)[] = [];
  const lasts: (() => unknown)[] = [];
  try {
    const listening = await answering.listen();
    const app = createAdminApp({
      parts: () => answering.parts(),
      metrics: async (form) => expose(await answering.metrics(), form),
    });
    const admin = await openAdmin(config, handed, app);
    // Last: until then `/readyz` tells the load balancer to send no more requests.
    lasts.push(() => admin?.close());
    const urls = { ...listening.urls, ...(admin && { admin: admin.url }) };
    const reloads = new Reloads(files, answering, config, listening.report);
    const reload = async (options: ReloadOptions): Promise<void> => {
      await reloads.reload(options).catch((error: unknown) => {
        log.error('reload_failed', { detail: String(error) });
      });
    };
    const manager = await serviceManager(log);
    const tellReady = (): void => {
      const { programmes } = reloads.last;
      const served = programmes.filter(({ isServed }) => isServed).length;
      manager?.ready(`${served} of ${programmes.length} programmes at ${urls.main}`);
    };
    // Before anything is printed: its reader may send a signal at once.
    const signalled = untilSignal(['SIGTERM', 'SIGINT']);
    process.on('SIGUSR2', () => void answering.acceptClock());
    process.removeAllListeners('SIGHUP').on('SIGHUP', () => {
      manager?.reloading();
      void answering.audit('reload_asked', { signal: 'SIGHUP' });
      void reload({}).finally(tellReady);
    });
    const control = await openControl(config.control, controlRoutes(answering, reloads, urls), log);
    // No listener may open after they are closed.
    stops.push(control.close, () => reloads.end());
    announce(config, listening, urls);
    stops.push(watchFiles(reloads, reload));
    tellReady();
    manager?.watch();
    const lost = answering.lost;
    const ending = await Promise.race([signalled, lost]);
    await answering.stopping();
    manager?.stopping();
    // At Ctrl-C a person waits. FAULTS 5: without its store it has no answers to give.
    const { stopDelay } = reloads.config;
    if (ending === 'SIGTERM' && stopDelay > 0) {
      await Promise.race([takeLeave(answering, stopDelay), lost]);
    }
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    await answering.close();
    await Promise.all(lasts.map((last) => last()));
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
async function takeLeave(answering: Answering, delay: Milliseconds): Promise<void> {
  const half = (): Promise<void> => sleep(delay / 2, undefined, { ref: false });
  await half();
  await answering.lastAnswers();
  await half();
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
}
