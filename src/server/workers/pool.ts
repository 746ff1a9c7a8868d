// Owns the workers of a server as one: what the front asks is asked of all of them.

import type { EventName, Facts } from '../../audit/event.ts';
import type { Parts } from '../../http/admin.ts';
import { usualTimeLimits } from '../../http/server.ts';
import { instant } from '../../lib/clock.ts';
import { dateText } from '../../lib/duration.ts';
import { type Family, processFamilies } from '../../lib/metrics/families.ts';
import type { Answering, Listening, Opened, Start, Taken } from '../answering.ts';
import { type CommandError, failed } from '../exit.ts';
import type { ServerLog } from '../log_writer.ts';
import { watchProcess } from '../metrics/process.ts';
import { healthSeries } from '../metrics/server.ts';
import type { Reading } from '../reload/reading.ts';
import type { ReloadOptions, ReloadReport } from '../reload/report.ts';
import type { StatusView } from '../status.ts';
import type { WhyAnswer } from '../why/route.ts';
import { Crew, tellPatience } from './crew.ts';
import { growing, mergeFamilies, plainFamily, readableFamily } from './merged_metrics.ts';
import { mergeParts, mergeStatus, mergeWhy } from './merged_views.ts';
import type { PlainFamily } from './messages.ts';
import { Provisions } from './provisions.ts';
import type { WorkerProcess } from './worker_process.ts';

/** Milliseconds that a worker has to close its store and its audit stream, and then to end. */
const endPatience = 10_000;
const exitPatience = 1000;

/** Starts the first worker, which opens the store; nothing listens yet. */
export async function openWorkers(start: Start, workers: number, log: ServerLog): Promise<Opened> {
  const pool = new Pool(start, workers, log);
  return { answering: pool, outcomes: await pool.open() };
}

class Pool implements Answering {
  readonly #workers: number;
  readonly #log: ServerLog;
  readonly #provisions: Provisions;
  readonly #crew: Crew;
  readonly #began = Date.now();
  /** What is ready to be taken up. */
  #reading: Reading | undefined;
  /** What workers had counted that have ended. */
  #counted: PlainFamily[] = [];
  readonly #told = new Map<WorkerProcess, PlainFamily[]>();

  constructor(start: Start, workers: number, log: ServerLog) {
    this.#workers = workers;
    this.#log = log;
    this.#provisions = new Provisions(start);
    this.#crew = new Crew(workers, this.#provisions, log, (worker) => {
      this.#counted = mergeFamilies([this.#counted, this.#told.get(worker) ?? []]);
      this.#told.delete(worker);
    });
    watchProcess();
  }

  get lost(): Promise<CommandError> {
    return this.#crew.lost;
  }

  open(): Promise<Opened['outcomes']> {
    return this.#crew.open();
  }

  /** One worker begins alone: it finds out whether any can, and makes what new programmes need. */
  async listen(): Promise<Listening> {
    const listening = await this.#crew.first().ask('listen');
    this.#provisions.begun(listening);
    await this.#crew.fill();
    return listening;
  }

  async parts(): Promise<Parts> {
    const told = await this.#crew.tellings('parts', []);
    for (const worker of this.#crew.members.keys()) {
      if (!told.has(worker)) told.set(worker, unanswered);
    }
    return mergeParts(told, this.#workers);
  }

  async metrics(): Promise<readonly Family[]> {
    const parts = this.parts();
    const told = await this.#crew.tellings('metrics', []);
    for (const [number, families] of told) {
      const worker = this.#crew.members.get(number);
      if (worker !== undefined) this.#told.set(worker, growing(families));
    }
    const own = processFamilies().map(plainFamily);
    const merged = mergeFamilies([...told.values(), this.#counted, own]);
    const health = healthSeries(await parts);
    return merged.map((family) =>
      readableFamily(family.name === 'jetway_health' ? { ...family, series: health } : family),
    );
  }

  async status(): Promise<StatusView> {
    const parts = await this.parts();
    const uptime = Math.round((Date.now() - this.#began) / 1000);
    const begun = { started: dateText(instant(this.#began)), uptime };
    const view = mergeStatus(await this.#crew.tellings('status', []), parts, begun);
    if (view === undefined) throw failed('no worker answers');
    return view;
  }

  async why(query: string): Promise<WhyAnswer> {
    return mergeWhy([...(await this.#crew.tellings('why', [query])).values()]);
  }

  /** In all workers, or in none: then it rejects with the name of one that cannot. */
  async prepare(reading: Reading, options: ReloadOptions): Promise<ReloadReport> {
    const news = this.#provisions.newsOf(reading);
    if (options.dryRun === true) return this.#crew.first().ask('prepare', news, options);
    // The lines of all workers go through the log of this process.
    const refusal = this.#log.follow((reading.config ?? this.#provisions.config).log);
    if (refusal !== undefined) throw failed(refusal);
    this.#crew.hold();
    this.#reading = reading;
    try {
      const [report] = await this.#crew.everyone('prepare', news, options);
      if (report === undefined) throw failed('no worker answers');
      return report;
    } catch (error) {
      await this.drop();
      throw error;
    }
  }

  async take(tells: boolean): Promise<Taken> {
    try {
      const members = [...this.#crew.members.values()];
      const done = members.map((worker, index) => worker.ask('take', tells && index === 0));
      const settled = await Promise.allSettled(done);
      const taken = settled.find((one) => one.status === 'fulfilled')?.value;
      if (taken === undefined || this.#reading === undefined) throw failed('no worker answers');
      this.#provisions.taken(this.#reading, taken);
      // One that could not is not to go on beside the others: it begins again with what they have.
      for (const [index, { status }] of settled.entries()) {
        if (status === 'rejected') members[index]?.kill();
      }
      await this.settle();
      return taken;
    } finally {
      this.#endReload();
    }
  }

  /** Workers are servers of the store each: first all tell, then all know. */
  async settle(): Promise<void> {
    for (let round = 0; round < 2; round += 1) await this.#crew.tellings('settle', []);
  }

  async drop(): Promise<void> {
    this.#log.follow(this.#provisions.config.log);
    await Promise.allSettled([...this.#crew.members.values()].map((worker) => worker.ask('drop')));
    this.#endReload();
  }

  async audit(event: EventName, facts: Facts): Promise<void> {
    await this.#crew.first().ask('audit', event, facts);
  }

  /** The other workers follow, as other machines do. */
  async acceptClock(): Promise<void> {
    await this.#crew.first().ask('acceptClock');
  }

  async stopping(): Promise<void> {
    this.#crew.stop();
    await this.#crew.tellings('stopping', []);
  }

  async lastAnswers(): Promise<void> {
    await this.#crew.tellings('lastAnswers', []);
  }

  async close(): Promise<void> {
    this.#crew.stop();
    await this.#crew.tellings('close', [], usualTimeLimits.drainTime + tellPatience);
  }

  async end(why: string): Promise<void> {
    this.#crew.stop();
    await this.#crew.tellings('end', [why], endPatience);
    await this.#crew.end(exitPatience);
  }

  #endReload(): void {
    this.#reading = undefined;
    this.#crew.release();
  }
}

const unanswered: Parts = {
  server: { status: 'unready', reasons: ['its event loop stands still'] },
};
