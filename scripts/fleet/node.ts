// Owns one node of a fleet: a `jetway serve` that is killed, stopped for a while and started again.

import { closeSync, openSync } from 'node:fs';

import { type ServedSite, type Serving, startServing } from '../many_programmes/serving.ts';

export class FleetNode {
  readonly index: number;
  readonly #command: readonly string[];
  readonly #site: ServedSite;
  readonly #logFile: string;
  #serving: Serving | undefined;
  #disturbances = 0;
  #isStopped = false;

  constructor(
    index: number,
    { command, site, logFile }: { command: readonly string[]; site: ServedSite; logFile: string },
  ) {
    this.index = index;
    this.#command = command;
    this.#site = site;
    this.#logFile = logFile;
  }

  async start(): Promise<void> {
    const log = openSync(this.#logFile, 'a');
    try {
      this.#serving = await startServing(this.#command, this.#site, log);
    } finally {
      closeSync(log);
    }
  }

  /** Undefined while it does not run. */
  get port(): number | undefined {
    return this.#serving?.port;
  }

  /**
   * A number that changes whenever it is killed, stopped or let go; undefined while it is stopped. Who
   * has asked it meanwhile may get no answer.
   */
  get presence(): number | undefined {
    return this.#isStopped ? undefined : this.#disturbances;
  }

  async kill(): Promise<void> {
    this.#disturbances += 1;
    const serving = this.#serving;
    this.#serving = undefined;
    await serving?.kill('SIGKILL');
  }

  /** Stops all of its threads, as a machine does that is out of memory or moved to another. */
  freeze(): void {
    this.#disturbances += 1;
    this.#isStopped = true;
    void this.#serving?.kill('SIGSTOP');
  }

  thaw(): void {
    void this.#serving?.kill('SIGCONT');
    this.#isStopped = false;
  }
}
