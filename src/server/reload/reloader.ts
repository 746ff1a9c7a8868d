// Owns taking up changed files in a process that answers requests, in two steps: each programme by itself,
// and the settings that need no restart.

import { contractChanges } from '../../contract/diff/changes.ts';
import type { Clock } from '../../lib/clock.ts';
import { dateText } from '../../lib/duration.ts';
import { formatFault } from '../../lib/fault.ts';
import { pause } from '../../lib/pause.ts';
import { compileLoaded } from '../../rules/load.ts';
import type { Store } from '../../store/contract.ts';
import type { ServerAudit } from '../audit/server_audit.ts';
import type { Listeners } from '../listeners.ts';
import type { ServerLog } from '../log_writer.ts';
import type { Look } from '../programme_folder.ts';
import type { Serving } from '../serving.ts';
import { candidatesOf, type Plan, planServing, type ProgrammeOutcome } from '../serving_plan.ts';
import type { Settings } from '../settings.ts';
import type { Reading } from './reading.ts';
import {
  changing,
  type ProgrammeChanges,
  type ReloadOptions,
  type ReloadReport,
  summaryOf,
  tellReload,
} from './report.ts';

interface ReloadParts {
  readonly settings: Settings;
  readonly serving: Serving;
  readonly listeners: Listeners;
  readonly log: ServerLog;
  readonly clock: Clock;
  readonly store: Store;
  readonly audit?: ServerAudit;
}

/** What a process is ready to take up. */
interface Prepared {
  /** @param tells whether log and audit stream are told of it */
  readonly take: (tells: boolean) => Promise<ReloadReport>;
  readonly drop: () => Promise<void>;
}

export class Reloader {
  readonly #parts: ReloadParts;
  #last: ReloadReport;
  #prepared: Prepared | undefined;

  /** @param last of the start, or of another process whose place this one takes */
  constructor(parts: ReloadParts, last: ReloadReport) {
    this.#parts = parts;
    this.#last = last;
  }

  /** Of the last reload that was no dry run, or of the start. */
  get last(): ReloadReport {
    return this.#last;
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

  /**
   * Readies what was read, for `take` or `drop`; a dry run readies nothing. Resolves to what there is to
   * take. Rejects with `Unavailable` where the store cannot be asked; then nothing is ready.
   */
  async prepare(reading: Reading, options: ReloadOptions): Promise<ReloadReport> {
    const { dryRun = false, prune = false } = options;
    const { settings, serving, clock } = this.#parts;
    const { config, tls, looks, faults } = reading;
    const set = await settings.prepare(config, tls, dryRun);
    try {
      const plan = looks && (await this.#plan(looks, prune));
      const programmes = plan?.outcomes ?? standingOutcomes(this.#last);
      const report: ReloadReport = { at: clock.now(), programmes, settings: set.outcomes, faults };
      if (dryRun)
        return { ...report, changes: plan === undefined ? [] : await this.#changesOf(plan) };
      const isNews = programmes.some(({ outcome }) => changing.has(outcome));
      const put = plan && isNews ? await serving.prepare(plan) : undefined;
      this.#prepared = {
        take: async (tells) => {
          const before = serving.served;
          const taken = { ...report, settings: await set.take() };
          put?.();
          if (put !== undefined) this.#parts.listeners.swap(serving);
          if (tells) this.#tell(taken, before, options);
          // Those of a configuration that was not read now are told already.
          this.#last = { ...taken, faults: [...reading.standing, ...faults] };
          return taken;
        },
        drop: set.drop,
      };
      return report;
    } catch (error) {
      await set.drop();
      throw error;
    }
  }

  /** Takes up what was readied last. */
  async take(tells: boolean): Promise<ReloadReport> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared === undefined) throw new Error('nothing is ready to be taken up');
    return prepared.take(tells);
  }

  /** Gives up what was readied last, if anything is left of it. */
  async drop(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    await prepared?.drop();
  }

  #tell(
    report: ReloadReport,
    before: Serving['served'],
    { filesAlone = false }: ReloadOptions,
  ): void {
    tellReload(report, { ...this.#parts, before, last: this.#last });
    if (!filesAlone) this.#parts.log.info('reloaded', { detail: summaryOf(report) });
  }

  async #plan(looks: readonly Look[], prune: boolean): Promise<Plan> {
    const { serving, settings, store } = this.#parts;
    const candidates = await candidatesOf(looks, serving.served, settings.config.publicUrl);
    return planServing(candidates, serving.served, store, { looks, prune });
  }

  async #changesOf({ mounted, outcomes }: Plan): Promise<readonly ProgrammeChanges[]> {
    const { serving, settings } = this.#parts;
    const all: ProgrammeChanges[] = [];
    for (const { programme, outcome } of outcomes) {
      if (!changing.has(outcome)) continue;
      const [before, after] = [serving.served, mounted].map((some) => {
        const loaded = some.get(programme)?.look?.file.loaded;
        const { publicUrl } = settings.config;
        return loaded && compileLoaded(loaded, publicUrl);
      });
      const changes = contractChanges(before, after);
      all.push({ programme, changes });
      await pause();
    }
    return all;
  }
}

/** What a reload that read no file did about the programmes. */
function standingOutcomes({ programmes }: ReloadReport): readonly ProgrammeOutcome[] {
  return programmes
    .filter(({ outcome }) => outcome !== 'removed')
    .map((one) => (changing.has(one.outcome) ? { ...one, outcome: 'unchanged' } : one));
}
