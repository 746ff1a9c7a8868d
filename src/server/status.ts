// Owns what a running server tells of itself on its control socket: its status, and what a reload did.

import type { Config } from '../config/config.ts';
import { type Health, wholeOf } from '../http/admin.ts';
import type { Instant } from '../lib/clock.ts';
import { dateText } from '../lib/duration.ts';
import { type Fault, formatFault } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { Unavailable } from '../oauth/failure.ts';
import { storeAt } from '../store/open.ts';
import { healthOf, type HealthSources, maintained } from './health.ts';
import { type KeyView, viewKeys, keyLines } from './keys/lines.ts';
import type { Listeners, ListenerUrls } from './listeners.ts';
import type { ServerNode } from './node.ts';
import type { ProgrammeOutcome } from './programmes/plan.ts';
import { isComplete, type ProgrammeChanges, type ReloadReport } from './reload/report.ts';
import type { SettingOutcome } from './settings.ts';
import { versionLine } from './version.ts';

export interface ReloadView {
  readonly at: string;
  readonly complete: boolean;
  readonly programmes: readonly {
    readonly programme: string;
    readonly outcome: ProgrammeOutcome['outcome'];
    readonly served: boolean;
    readonly message: string | null;
    readonly faults: readonly string[];
  }[];
  readonly settings: readonly SettingOutcome[];
  readonly faults: readonly string[];
  readonly changes?: readonly ProgrammeChanges[];
}

interface NodeView {
  readonly node: number;
  readonly name: string;
  readonly version: string;
  /** What it serves, by the digest of file and logos. */
  readonly programmes: Readonly<Record<string, string>>;
}

export interface StatusView {
  readonly version: string;
  readonly pid: number;
  /** Its number among the processes that share its store; null where that is in doubt. */
  readonly node: number | null;
  readonly started: string;
  readonly uptime_seconds: number;
  readonly environment: string;
  readonly listeners: ListenerUrls;
  readonly health: Health;
  readonly store: { readonly name: string; readonly status: string };
  /** The servers of the store, this one included. */
  readonly nodes: readonly NodeView[];
  readonly programmes: readonly {
    readonly programme: string;
    readonly file: string | null;
    readonly sha256: string | null;
    readonly since: string;
    readonly keys: readonly KeyView[];
    readonly maintenance: boolean;
    readonly locked_accounts: number;
  }[];
  readonly last_reload: ReloadView;
  /** Where several processes answer requests. */
  readonly workers?: readonly WorkerView[];
}

interface WorkerView extends Pick<StatusView, 'pid' | 'node' | 'started' | 'uptime_seconds'> {
  readonly worker: number;
}

interface StatusSources extends HealthSources {
  /** Of the start. */
  readonly config: Config;
  readonly started: Instant;
  readonly listeners: Listeners;
}

/** Of this process. */
export async function viewStatus(parts: StatusSources): Promise<StatusView> {
  const { config, clock, store, serving, listeners, reloader, started } = parts;
  const now = clock.now();
  const closed = new Set(
    (await maintained(store, serving.served.keys())).map(({ programme }) => programme),
  );
  const served = [...serving.served].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const programmes = served.map(async ([id, { programme, look, since }]) => {
    return {
      programme: id,
      file: look?.file.file ?? null,
      sha256: look?.fileDigest ?? null,
      since: dateText(since),
      keys: await viewKeys(store, keyLines(programme), now),
      maintenance: closed.has(id),
      locked_accounts: await store.countLocked(id, now),
    };
  });
  return {
    version: versionLine(),
    pid: process.pid,
    node: nodeNumber(parts.node),
    started: dateText(started),
    uptime_seconds: Math.round((now - started) / 1000),
    environment: config.environment,
    listeners: listeners.urls,
    health: wholeOf(healthOf(parts)),
    store: { name: storeAt(config.store).name, status: store.health().status },
    nodes: parts.node.all().map(({ node, facts }) => ({
      node,
      name: facts.name,
      version: facts.version,
      programmes: Object.fromEntries(
        Object.entries(facts.programmes).map(([id, { digest }]) => [id, digest]),
      ),
    })),
    programmes: await Promise.all(programmes),
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

export function viewReload(report: ReloadReport): ReloadView {
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
