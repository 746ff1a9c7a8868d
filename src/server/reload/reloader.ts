// Owns taking up changed files: each programme by itself, and the settings that need no restart.

import { instant, type Clock } from '../../lib/clock.ts';
import { dateText } from '../../lib/duration.ts';
import { formatFault } from '../../lib/fault.ts';
import { pause } from '../../lib/pause.ts';
import { compileLoaded } from '../../rules/load.ts';
import type { Store } from '../../store/contract.ts';
import type { ServerAudit } from '../audit/server_audit.ts';
import type { Listeners } from '../listeners.ts';
import type { ServerLog } from '../log_writer.ts';
import type { ServerNode } from '../node.ts';
import type { Look } from '../programmes/folder.ts';
import type { LastGood } from '../programmes/last_good.ts';
import { candidatesOf, type Plan, planServing, type ProgrammeOutcome } from '../programmes/plan.ts';
import type { Programmes } from '../programmes/programmes.ts';
import type { SettingOutcome, Settings } from '../settings.ts';
import type { ServerFiles } from './reading.ts';
import {
  changing,
  type ProgrammeChanges,
  type ReloadOptions,
  type ReloadReport,
  summaryOf,
  tellReload,
} from './report.ts';

interface ReloadParts {
  readonly files: ServerFiles;
  readonly settings: Settings;
  readonly programmes: Programmes;
  readonly lastGood: LastGood;
  readonly listeners: Listeners;
  readonly log: ServerLog;
  readonly clock: Clock;
  readonly store: Store;
  readonly node: ServerNode;
  readonly audit: ServerAudit | undefined;
  /** Of several processes of a server: which this is. */
  readonly worker?: number;
}

/** Milliseconds between looks. Files have to stand still for one of them: one may be half written. */
const lookInterval = 500;

export class Reloader {
  readonly #parts: ReloadParts;
  #last: ReloadReport = { at: instant(0), programmes: [], settings: [], faults: [] };
  #running: Promise<unknown> = Promise.resolve();
  #isEnded = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
  }

  /**
   * Takes the programmes into service at the start.
   * @param former last good versions, for the files among `looks` that are broken (FAULTS 16)
   */
  async begin(looks: readonly Look[], former: readonly Look[]): Promise<void> {
    const { clock, log, audit } = this.#parts;
    if (former.length > 0) await this.#mount(await this.#plan(former));
    const plan = await this.#plan(looks);
    await this.#mount(plan);
    this.#last = { at: clock.now(), programmes: plan.outcomes, settings: [], faults: [] };
    const { worker = 1 } = this.#parts;
    for (const { id, fileDigest } of former) {
      const detail = `its file has faults: its last good version (${fileDigest.slice(0, 12)}) is served`;
      log.error('last_version_served', { programme: id, detail });
      if (worker === 1) audit?.stream.put('programme_refused', { programme: id, detail });
    }
    this.#keep(looks, false);
  }

  async #mount(plan: Plan): Promise<void> {
    const { node, programmes } = this.#parts;
    // Before keys are opened: no other server may give up keys that this one signs by.
    node.tell(() => plan.mounted);
    await node.renew();
    await programmes.take(plan);
    node.tell(() => programmes.served);
  }

  /** Of the last reload that was no dry run, or of the start. */
  get last(): ReloadReport {
    return this.#last;
  }

  /** What is not as the files have it, for operators to read at `/readyz`. */
  troubles(): { readonly files: readonly string[]; readonly programmes: readonly string[] } {
    const { served } = this.#parts.programmes;
    const { programmes, settings, faults } = this.#last;
    return {
      files: [
        ...faults.map(formatFault),
        ...settings
          .filter(isRefused)
          .map(({ key, message = '' }) => `${key} is not taken up: ${message}`),
      ],
      programmes: programmes.flatMap(({ programme, outcome, isServed }) => {
        if (outcome === 'kept') {
          return [
            `the file of ${programme} is gone: put it back, or end it with jetway reload --prune`,
          ];
        }
        if (outcome !== 'refused') return [];
        const { since } = served.get(programme) ?? {};
        if (!isServed || since === undefined) return [`${programme} is not served`];
        return [
          `the file of ${programme} is not taken up: its version of ${dateText(since)} is served`,
        ];
      }),
    };
  }

  /**
   * Takes up what the files hold now, one reload after another. Rejects with `Unavailable` where the store
   * cannot be asked: then all is as before.
   */
  reload(options: ReloadOptions = {}): Promise<ReloadReport> {
    const done = this.#running.then(() => this.#reload(options));
    this.#running = done.catch(() => undefined);
    return done;
  }

  /** Reloads after changes of programmes and certificates, while the configuration says so. */
  watch(): void {
    let seen: string | undefined;
    let isReloading = false;
    this.#watch = setInterval(() => {
      const { files, settings, log } = this.#parts;
      if (isReloading || !settings.config.watchProgrammes) return;
      const before = seen;
      seen = files.change();
      if (seen === undefined || seen !== before) return;
      isReloading = true;
      this.reload({ filesAlone: true })
        .catch((error: unknown) => log.error('reload_failed', { detail: String(error) }))
        .finally(() => (isReloading = false));
    }, lookInterval);
  }

  /** No reload begins any more; resolves once none is under way. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearInterval(this.#watch);
    await this.#running;
  }

  async #reload(options: ReloadOptions): Promise<ReloadReport> {
    if (this.#isEnded) throw new Error('the server stops');
    const { dryRun = false, prune = false } = options;
    const { files, settings, programmes, listeners, clock } = this.#parts;
    const { config, tls, looks, faults, standing } = await files.read(settings.config, options);
    const plan = looks && (await this.#plan(looks, prune));
    const report: ReloadReport = {
      at: clock.now(),
      programmes: plan?.outcomes ?? standingOutcomes(this.#last),
      settings: settings.foresee(config, tls),
      faults,
    };
    if (dryRun)
      return { ...report, changes: plan === undefined ? [] : await this.#changesOf(plan) };
    const isNews = report.programmes.some(({ outcome }) => changing.has(outcome));
    // The store is asked first: nothing has changed yet if it is away.
    const exchange = plan && isNews ? await programmes.prepare(plan) : undefined;
    const before = programmes.served;
    const taken = { ...report, settings: await settings.take(config, tls) };
    exchange?.();
    if (exchange !== undefined) listeners.swap(programmes);
    this.#tell(taken, before, options);
    // Those of a configuration that was not read now are told already.
    const refused = options.filesAlone === true ? this.#last.settings.filter(isRefused) : [];
    this.#last = {
      ...taken,
      settings: [...refused, ...taken.settings],
      faults: [...standing, ...faults],
    };
    this.#keep(looks, prune);
    return taken;
  }

  #keep(looks: readonly Look[] | undefined, prune: boolean): void {
    const { lastGood, programmes, settings } = this.#parts;
    const served = [...programmes.served.values()];
    void lastGood.keep(served.flatMap(({ look, since }) => (look ? [{ look, since }] : [])));
    if (!prune || looks === undefined) return;
    const { programmes: folder } = settings.config;
    void lastGood.prune(
      folder,
      looks.map(({ path }) => path),
    );
  }

  #tell(
    report: ReloadReport,
    before: Programmes['served'],
    { filesAlone = false }: ReloadOptions,
  ): void {
    tellReload(report, { ...this.#parts, before, last: this.#last });
    const { log, worker = 1 } = this.#parts;
    if (!filesAlone && worker === 1) log.info('reloaded', { detail: summaryOf(report) });
  }

  async #plan(looks: readonly Look[], prune = false): Promise<Plan> {
    const { programmes, settings, store } = this.#parts;
    const candidates = await candidatesOf(looks, programmes.served, settings.config.publicUrl);
    return planServing(candidates, programmes.served, store, { looks, prune });
  }

  async #changesOf({ mounted, outcomes }: Plan): Promise<readonly ProgrammeChanges[]> {
    const { programmes, settings } = this.#parts;
    const all: ProgrammeChanges[] = [];
    for (const { programme, outcome } of outcomes) {
      if (!changing.has(outcome)) continue;
      // No start needs it.
      const { contractChanges } = await import('../../contract/diff/changes.ts');
      const [before, after] = [programmes.served, mounted].map((some) => {
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

function isRefused({ outcome }: SettingOutcome): boolean {
  return outcome === 'refused';
}

/** What a reload that read no file did about the programmes. */
function standingOutcomes({ programmes }: ReloadReport): readonly ProgrammeOutcome[] {
  return programmes
    .filter(({ outcome }) => outcome !== 'removed')
    .map((one) => (changing.has(one.outcome) ? { ...one, outcome: 'unchanged' } : one));
}
