// Owns the reloads of a server, one at a time: what its files hold now is taken up by all that answers, or
// by nothing.

import type { Config } from '../../config/config.ts';
import type { Answering } from '../answering.ts';
import type { ServerFiles } from './reading.ts';
import type { ReloadOptions, ReloadReport } from './report.ts';

export class Reloads {
  readonly #files: ServerFiles;
  readonly #answering: Answering;
  #config: Config;
  #last: ReloadReport;
  #running: Promise<unknown> = Promise.resolve();
  #isEnded = false;

  /** @param last of the start */
  constructor(files: ServerFiles, answering: Answering, config: Config, last: ReloadReport) {
    this.#files = files;
    this.#answering = answering;
    this.#config = config;
    this.#last = last;
  }

  /** What is gone by: as it was at the start, but for the keys that were taken up since. */
  get config(): Config {
    return this.#config;
  }

  /** Of the last reload that was no dry run, or of the start. */
  get last(): ReloadReport {
    return this.#last;
  }

  /** Whether what was read last is what is there; else another text for each state of the files. */
  change(): string | undefined {
    return this.#files.change();
  }

  /** Rejects with `Unavailable` where the store cannot be asked: then all is as before. */
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

  async #reload(options: ReloadOptions): Promise<ReloadReport> {
    if (this.#isEnded) throw new Error('the server stops');
    const reading = await this.#files.read(this.#config, options);
    const planned = await this.#answering.prepare(reading, options);
    if (options.dryRun === true) return planned;
    const { report, config } = await this.#answering.take(true);
    this.#config = config;
    this.#last = report;
    return report;
  }
}
