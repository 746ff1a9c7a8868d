// Owns what a running server tells of itself on its control socket: its status, and what a reload did.

import type { Config } from '../config/config.ts';
import { wholeOf } from '../http/admin.ts';
import type { Instant } from '../lib/clock.ts';
import { dateText } from '../lib/duration.ts';
import { type Fault, formatFault } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { Unavailable } from '../oauth/failure.ts';
import { storeAt } from '../store/open.ts';
import { figuresOf } from './figures.ts';
import { healthOf, type HealthSources } from './health.ts';
import { viewKey } from './keys/lines.ts';
import type { Listeners } from './listeners.ts';
import type { ServerNode } from './node.ts';
import { isComplete, type ReloadReport } from './reload/report.ts';
import { versionLine } from './version.ts';

export type ReloadView = ReturnType<typeof reloadOf>;

/** As the control socket tells it. */
export type StatusView = Awaited<ReturnType<typeof statusOf>> & {
  /** Where several processes answer requests. */
  readonly workers?: readonly WorkerView[];
};

interface WorkerView extends Pick<
  Awaited<ReturnType<typeof statusOf>>,
  'pid' | 'node' | 'started' | 'uptime_seconds'
> {
  readonly worker: number;
}

interface StatusSources extends HealthSources {
  /** Of the start. */
  readonly config: Config;
  readonly started: Instant;
  readonly listeners: Listeners;
}

/** Of this process. */
export function viewStatus(parts: StatusSources): Promise<StatusView> {
  return statusOf(parts);
}

/** Its type is the view's. */
async function statusOf(parts: StatusSources) {
  const { config, clock, store, programmes, listeners, reloader, started } = parts;
  const now = clock.now();
  const served = [...programmes.served].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const viewOf = async ([id, one]: (typeof served)[number]) => {
    const { keys, isInMaintenance, locked } = await figuresOf(parts, one);
    return {
      programme: id,
      file: one.look?.file.file ?? null,
      sha256: one.look?.fileDigest ?? null,
      since: dateText(one.since),
      keys: keys.map(viewKey),
      maintenance: isInMaintenance,
      locked_accounts: locked,
    };
  };
  return {
    version: versionLine(),
    pid: process.pid,
    // Among the processes that share its store; null where that is in doubt.
    node: nodeNumber(parts.node),
    started: dateText(started),
    uptime_seconds: Math.round((now - started) / 1000),
    environment: config.environment,
    listeners: listeners.urls,
    health: wholeOf(healthOf(parts)),
    store: { name: storeAt(config.store).name, status: store.health().status },
    // The servers of the store, this one included; what each serves, by the digest of file and logos.
    nodes: parts.node.all().map(({ node, facts }) => ({
      node,
      name: facts.name,
      version: facts.version,
      programmes: Object.fromEntries(
        Object.entries(facts.programmes).map(([id, { digest }]) => [id, digest]),
      ),
    })),
    programmes: await Promise.all(served.map(viewOf)),
    last_reload: viewReload(reloader.last),
  };
}

function nodeNumber({ current }: ServerNode): number | null {
  try {
    return current();
  } catch (error) {
    if (error instanceof Unavailable) return null;
    throw error;
  }
}

/** As the control socket tells it. */
export function viewReload(report: ReloadReport): ReloadView {
  return reloadOf(report);
}

/** Its type is the view's. */
function reloadOf(report: ReloadReport) {
  return {
    at: dateText(report.at),
    complete: isComplete(report),
    programmes: report.programmes.map(({ programme, outcome, isServed, message, faults }) => ({
      programme,
      outcome,
      served: isServed,
      message: message ?? null,
      faults: faults.filter(isError).map(formatFault),
    })),
    settings: report.settings,
    faults: [...report.faults.map(formatFault), ...(report.differences ?? [])],
    ...present({ changes: report.changes }),
  };
}

function isError({ severity }: Fault): boolean {
  return severity === 'error';
}
