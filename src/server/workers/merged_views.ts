// Owns making what several workers tell of themselves what one server tells.

import { type Health, type Parts, readyPart, wholeOf } from '../../http/admin.ts';
import { formatFault } from '../../lib/fault.ts';
import { failed } from '../exit.ts';
import type { ReloadReport } from '../reload/report.ts';
import type { StatusView } from '../status.ts';
import type { WhyAnswer } from '../why/route.ts';

/** What each worker tells, by its number. */
export type ByWorker<View> = ReadonlyMap<number, View>;

const severities = ['ready', 'degraded', 'unready'] as const;

/** Of so many workers, those without which a server is not ready: half of them. */
function fewestServing(workers: number): number {
  return Math.ceil(workers / 2);
}

/**
 * The health of a server with so many workers; those that are missing do not serve. A part that cannot do
 * its work in some workers makes the server degraded, and unready once fewer than half of them can.
 */
export function mergeParts(parts: ByWorker<Parts>, workers: number): Parts {
  const names = new Set([...parts.values()].flatMap((one) => Object.keys(one)));
  const merged = [...names].map((name) => {
    const healths = new Map([...parts].map(([worker, one]) => [worker, one[name] ?? readyPart]));
    return [name, mergeHealth(healths, workers)] as const;
  });
  return { workers: presence([...parts.keys()], workers), ...Object.fromEntries(merged) };
}

function presence(serving: readonly number[], workers: number): Health {
  const missing = Array.from({ length: workers }, (_, index) => index + 1).filter(
    (worker) => !serving.includes(worker),
  );
  if (missing.length === 0) return readyPart;
  return {
    status: serving.length < fewestServing(workers) ? 'unready' : 'degraded',
    reasons: missing.map((worker) => `worker ${worker} does not answer requests`),
  };
}

function mergeHealth(healths: ByWorker<Health>, workers: number): Health {
  const all = [...healths.values()];
  const able = all.filter(({ status }) => status !== 'unready').length;
  const missing = workers - all.length;
  const worst = Math.max(...all.map(({ status }) => severities.indexOf(status)));
  const isUnready = worst === 2 && able < Math.min(fewestServing(workers), workers - missing);
  const reasons = new Set(all.flatMap((health) => health.reasons));
  return {
    status: isUnready ? 'unready' : (severities[Math.min(worst, 1)] ?? 'ready'),
    reasons: [...reasons].map((reason) => {
      const whose = [...healths].filter(([, health]) => health.reasons.includes(reason));
      if (whose.length === all.length) return reason;
      return `worker ${whose.map(([worker]) => worker).join(', ')}: ${reason}`;
    }),
  };
}

/** @param parts the server's, by which it is as healthy as it is */
export function mergeStatus(
  views: ByWorker<StatusView>,
  parts: Parts,
  begun: { readonly started: string; readonly uptime: number },
): StatusView | undefined {
  const [first] = views.values();
  if (first === undefined) return undefined;
  const all = [...views.values()];
  return {
    ...first,
    pid: process.pid,
    started: begun.started,
    uptime_seconds: begun.uptime,
    health: wholeOf(parts),
    programmes: first.programmes.map((one) => ({ ...one, since: sinceOf(one, all) })),
    store: all.map(({ store }) => store).find(({ status }) => status !== 'ready') ?? first.store,
    workers: [...views].map(([worker, { pid, node, started, uptime_seconds }]) => {
      return { worker, pid, node, started, uptime_seconds };
    }),
  };
}

/** Of the version of a programme: since when a worker serves it. */
function sinceOf(
  { programme, sha256, since }: StatusView['programmes'][number],
  views: readonly StatusView[],
): string {
  const same = views
    .flatMap(({ programmes }) => programmes)
    .filter((one) => one.programme === programme && one.sha256 === sha256);
  return same.map((one) => one.since).toSorted()[0] ?? since;
}

interface NamedReport {
  /** Of the worker. */
  readonly name: string;
  readonly report: ReloadReport;
}

/**
 * What became of a reload in all workers: as the first of them reports it, and what the others did not take up
 * as that one.
 * @param reports of each worker, or why it has none
 * @param refusal why the log of all is not written as the configuration says
 * @throws CommandError where none reports
 */
export function mergeReports(
  reports: readonly (NamedReport | string)[],
  refusal: string | undefined,
): ReloadReport {
  const differences = reports.filter((one) => typeof one === 'string');
  const [first, ...others] = reports.filter((one) => typeof one !== 'string');
  if (first === undefined) throw failed(differences[0] ?? 'no worker answers');
  for (const { name, report } of others) {
    differences.push(...differencesOf(report, first.report).map((text) => `${name}: ${text}`));
  }
  const settings = first.report.settings.map((one) =>
    one.key === 'log' && refusal !== undefined
      ? { key: 'log', outcome: 'refused' as const, message: refusal }
      : one,
  );
  return { ...first.report, settings, differences };
}

/** What a worker did not take up, if that is not what the first one did not. */
function differencesOf(own: ReloadReport, first: ReloadReport): readonly string[] {
  const known = new Set(refusedIn(first));
  return refusedIn(own).filter((text) => !known.has(text));
}

function refusedIn({ programmes, settings, faults }: ReloadReport): readonly string[] {
  const isRefused = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'refused';
  const files = programmes.filter(isRefused).map(({ programme, message, faults: own }) => {
    const errors = own.filter(({ severity }) => severity === 'error').map(formatFault);
    return `${programme} is not taken up: ${message ?? errors.join('; ')}`;
  });
  const keys = settings.filter(isRefused).map(({ key, message = '' }) => {
    return `${key} is not taken up: ${message}`;
  });
  return [...files, ...keys, ...faults.map(formatFault)];
}

export function mergeWhy(answers: readonly WhyAnswer[]): WhyAnswer {
  const times = answers.flatMap(({ since }) => since ?? []).toSorted();
  return {
    ...answers.find(({ refusal }) => refusal !== undefined),
    remembered: answers.reduce((sum, { remembered }) => sum + remembered, 0),
    since: times[0] ?? null,
  };
}
