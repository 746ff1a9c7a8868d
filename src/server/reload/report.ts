// Owns the report of a reload, and telling it to the log and to the audit stream.

import type { ContractChange } from '../../contract/diff/changes.ts';
import type { Instant } from '../../lib/clock.ts';
import { type Fault, formatFault } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { ServerAudit } from '../audit/server_audit.ts';
import type { ServerLog } from '../log_writer.ts';
import type { ProgrammeOutcome } from '../programmes/plan.ts';
import type { Served, Serving } from '../programmes/serving.ts';
import type { SettingOutcome } from '../settings.ts';

export interface ReloadOptions {
  /** Removes programmes whose file is gone. */
  readonly prune?: boolean;
  /** Changes nothing; tells what would change. */
  readonly dryRun?: boolean;
  /** Leaves the configuration unread: files have changed that are taken up by themselves. */
  readonly filesAlone?: boolean;
}

export interface ReloadReport {
  readonly at: Instant;
  readonly programmes: readonly ProgrammeOutcome[];
  readonly settings: readonly SettingOutcome[];
  /** Faults of the configuration, or of the folder as a whole: then nothing of it is taken up. */
  readonly faults: readonly Fault[];
  /** What one of several workers did not take up as the first of them did, in words. */
  readonly differences?: readonly string[];
  /** Of a dry run: what callers of each programme would see change. */
  readonly changes?: readonly ProgrammeChanges[];
}

export interface ProgrammeChanges {
  readonly programme: ProgrammeId;
  readonly changes: readonly ContractChange[];
}

/** Whether all that was found was taken up. */
export function isComplete({
  programmes,
  settings,
  faults,
  differences = [],
}: ReloadReport): boolean {
  return (
    faults.length + differences.length === 0 &&
    [...programmes, ...settings].every(({ outcome }) => outcome !== 'refused')
  );
}

/** The outcomes after which something else is served. */
export const changing: ReadonlySet<ProgrammeOutcome['outcome']> = new Set([
  'added',
  'changed',
  'removed',
]);

interface Tellers {
  readonly log: ServerLog;
  readonly audit?: ServerAudit | undefined;
  readonly serving: Serving;
  /** What was served before the reload. */
  readonly before: ReadonlyMap<ProgrammeId, Served>;
  /** The report before this one. */
  readonly last: ReloadReport;
  readonly worker?: number;
}

/**
 * Each programme whose outcome is news: a folder is read again while a file still has its faults. Of several
 * workers one tells for all; the others tell the log what they refuse, with their number.
 */
export function tellReload({ programmes, settings, faults }: ReloadReport, tellers: Tellers): void {
  const { log, audit, last, worker = 1 } = tellers;
  const known = new Set(last.programmes.map((one) => JSON.stringify(one)));
  for (const one of programmes) {
    if (one.outcome === 'unchanged') continue;
    if (!changing.has(one.outcome) && known.has(JSON.stringify(one))) continue;
    if (worker === 1) tellProgramme(one, tellers);
    else if (one.outcome === 'refused') tellRefused(one, tellers);
  }
  if (worker !== 1) return;
  for (const { key, outcome, message = '' } of settings) {
    const facts = present({ key, detail: message || undefined });
    if (outcome === 'refused') log.error('setting_refused', facts);
    else log.info(`setting_${outcome}`, facts);
    audit?.stream.put(`setting_${outcome}`, facts);
  }
  for (const fault of faults) log.error('reload_failed', { detail: formatFault(fault) });
}

function tellRefused(
  one: ProgrammeOutcome,
  { log, audit, worker }: Pick<Tellers, 'log' | 'audit' | 'worker'>,
): void {
  const { programme, message } = one;
  const errors = one.faults.filter(({ severity }) => severity === 'error').map(formatFault);
  const detail = message ?? (errors.join('; ') || 'its file is gone');
  const whose = worker === undefined || worker === 1 ? {} : { worker: String(worker) };
  log.error('programme_not_taken_up', {
    programme,
    ...whose,
    detail: `${detail}; ${standing(one)}`,
  });
  if (!('worker' in whose)) audit?.stream.put('programme_refused', { programme, detail });
}

function tellProgramme(one: ProgrammeOutcome, tellers: Tellers): void {
  const { programme, outcome } = one;
  const { log, audit, serving, before } = tellers;
  if (outcome === 'unchanged') return;
  if (outcome === 'refused' || outcome === 'kept') return tellRefused(one, tellers);
  const digest = serving.served.get(programme)?.look?.fileDigest;
  log.info(`programme_${outcome}`, present({ programme, digest }));
  const former = before.get(programme)?.look?.fileDigest;
  audit?.stream.put(`programme_${outcome}`, { programme, before: former, after: digest });
}

/** `1 changed, 2 unchanged` programmes. */
export function summaryOf({ programmes }: ReloadReport): string {
  const counts = new Map<string, number>();
  for (const { outcome } of programmes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}

/** What becomes of a programme whose file is not taken up. */
function standing({ isServed, outcome }: ProgrammeOutcome): string {
  if (!isServed) return 'it is not served';
  if (outcome === 'kept') return 'its last version is still served; jetway reload --prune ends it';
  return 'its last version is still served';
}
