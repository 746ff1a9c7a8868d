// Owns the reload of a running server: it takes up changed files, each programme by itself, and the
// settings that need no restart.

import { readConfig } from '../../config/config.ts';
import type { Instant } from '../../lib/clock.ts';
import { type Fault, FaultsError, formatFault } from '../../lib/fault.ts';
import { pause } from '../../lib/pause.ts';
import { contractChanges } from '../../programme/diff/changes.ts';
import type { Store } from '../../store/contract.ts';
import type { ServerAudit } from '../audit/server_audit.ts';
import { dateText } from '../table.ts';
import type { Listeners } from './listeners.ts';
import type { ServerLog } from './log_writer.ts';
import type { ProgrammeFolder } from './programme_folder.ts';
import {
  changing,
  type ProgrammeChanges,
  type ReloadReport,
  summaryOf,
  tellReload,
} from './reload_report.ts';
import type { Serving } from './serving.ts';
import { candidatesOf, type Plan, planServing, type ProgrammeOutcome } from './serving_plan.ts';
import type { SettingOutcome, Settings } from './settings.ts';

export interface ReloadOptions {
  /** Removes programmes whose file is gone. */
  readonly prune?: boolean;
  /** Changes nothing; tells what would change. */
  readonly dryRun?: boolean;
  /** Leaves the configuration unread: files have changed that are taken up by themselves. */
  readonly filesAlone?: boolean;
}

interface ReloadParts {
  readonly configPath: string;
  readonly settings: Settings;
  readonly folder: ProgrammeFolder;
  readonly serving: Serving;
  readonly listeners: Listeners;
  /** Of the start. */
  readonly plan: Plan;
  readonly log: ServerLog;
  readonly now: () => Instant;
  readonly store: Store;
  readonly audit?: ServerAudit;
}

export class Reloader {
  readonly #parts: ReloadParts;
  #last: ReloadReport;
  #stamp: string;
  #running: Promise<unknown> = Promise.resolve();
  #isEnded = false;
  /** Of the configuration as it was read last: they stand until it is read again. */
  #configFaults: readonly Fault[] = [];

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#stamp = `${parts.folder.stampAtRead()}\n${parts.settings.stampAtRead()}`;
    this.#last = { at: parts.now(), programmes: parts.plan.outcomes, settings: [], faults: [] };
  }

  /** Of the last reload that was no dry run, or of the start. */
  get last(): ReloadReport {
    return this.#last;
  }

  /** Whether what was read last is what is there; else another text for each state of the files. */
  change(): string | undefined {
    const { folder, settings } = this.#parts;
    const stamp = `${folder.stamp()}\n${settings.stamp()}`;
    return stamp === this.#stamp ? undefined : stamp;
  }

  // One at a time. Rejects with `Unavailable` where the store cannot be asked: then programmes are served
  // as before, while settings and certificates may have been taken up.
  reload(options: ReloadOptions = {}): Promise<ReloadReport> {
    const done = this.#running.then(() => this.#reload(options));
    this.#running = done.catch(() => undefined);
    return done;
  }

  /** No reload begins any more; resolves once none is under way. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  /** What is not as the files have it, for operators to read at `/readyz`. */
  troubles(): { readonly files: readonly string[]; readonly programmes: readonly string[] } {
    const { serving } = this.#parts;
    const { programmes, faults } = this.#last;
    return {
      files: faults.map(formatFault),
      programmes: programmes.flatMap(({ programme, outcome, isServed }) => {
        if (outcome === 'kept') {
          return [
            `the file of ${programme} is gone: put it back, or end it with jetway reload --prune`,
          ];
        }
        if (outcome !== 'refused') return [];
        const { since } = serving.served.get(programme) ?? {};
        if (!isServed || since === undefined) return [`${programme} is not served`];
        return [
          `the file of ${programme} is not taken up: its version of ${dateText(since)} is served`,
        ];
      }),
    };
  }

  async #reload({
    dryRun = false,
    prune = false,
    filesAlone = false,
  }: ReloadOptions): Promise<ReloadReport> {
    const { folder, serving, now, listeners } = this.#parts;
    if (this.#isEnded) throw new Error('the server stops');
    const faults: Fault[] = [];
    const followed = filesAlone ? [] : await this.#follow(faults, dryRun);
    if (!filesAlone && !dryRun) this.#configFaults = [...faults];
    const settings = [...followed, ...this.#parts.settings.renewCertificates(faults, dryRun)];
    const plan = await this.#plan(prune, faults);
    const stamp = plan === undefined ? folder.stamp() : folder.stampAtRead();
    const settingsStamp = this.#parts.settings.stampAtRead();
    const programmes = plan?.outcomes ?? standingOutcomes(this.#last);
    const report: ReloadReport = { at: now(), programmes, settings, faults };
    if (dryRun)
      return { ...report, changes: plan === undefined ? [] : await this.#changesOf(plan) };
    const before = serving.served;
    if (plan !== undefined && programmes.some(({ outcome }) => changing.has(outcome))) {
      await serving.take(plan);
      listeners.swap(serving);
    }
    this.#stamp = `${stamp}\n${settingsStamp}`;
    tellReload(report, { ...this.#parts, before, last: this.#last });
    if (!filesAlone) this.#parts.log.info('reloaded', { detail: summaryOf(report) });
    // Those of a configuration that was not read now are told already.
    this.#last = filesAlone ? { ...report, faults: [...this.#configFaults, ...faults] } : report;
    return report;
  }

  async #plan(prune: boolean, faults: Fault[]): Promise<Plan | undefined> {
    const { folder, serving, settings, store } = this.#parts;
    try {
      const looks = await folder.read();
      const { publicUrl } = settings.config;
      const candidates = await candidatesOf(looks, serving.served, publicUrl);
      return await planServing(candidates, serving.served, store, { looks, prune });
    } catch (error) {
      faults.push(...faultsOf(error));
      return undefined;
    }
  }

  async #changesOf({ mounted, outcomes }: Plan): Promise<readonly ProgrammeChanges[]> {
    const { serving, settings } = this.#parts;
    const all: ProgrammeChanges[] = [];
    for (const { programme, outcome } of outcomes) {
      if (!changing.has(outcome)) continue;
      const [before, after] = [serving.served, mounted].map(
        (some) => some.get(programme)?.look?.file.loaded,
      );
      const changes = contractChanges(before, after, settings.config.publicUrl);
      all.push({ programme, changes });
      await pause();
    }
    return all;
  }

  /** The keys of the configuration that have changed, and what became of them. */
  async #follow(faults: Fault[], dryRun: boolean): Promise<readonly SettingOutcome[]> {
    const { configPath, settings } = this.#parts;
    try {
      return await settings.follow(readConfig(configPath), dryRun);
    } catch (error) {
      faults.push(...faultsOf(error));
      return [];
    }
  }
}

/** What a reload that read no file did about the programmes. */
function standingOutcomes({ programmes }: ReloadReport): readonly ProgrammeOutcome[] {
  return programmes
    .filter(({ outcome }) => outcome !== 'removed')
    .map((one) => (changing.has(one.outcome) ? { ...one, outcome: 'unchanged' } : one));
}

function faultsOf(error: unknown): readonly Fault[] {
  if (error instanceof FaultsError) return error.faults;
  throw error;
}
