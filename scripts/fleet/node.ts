// Owns one node of a fleet: a `jetway serve` that is killed, stopped for a while and started again.

import { type ServedSite, type Server, startServer } from '../load/server.ts';

export class FleetNode {
  readonly index: number;
  readonly #command: readonly string[];
  readonly #site: ServedSite;
  #server: Server | undefined;
  #disturbances = 0;
  #isStopped = false;

  constructor(index: number, command: readonly string[], site: ServedSite) {
    this.index = index;
    this.#command = command;
    this.#site = site;
  }

  async start(): Promise<void> {
    this.#server = await startServer(this.#command, this.#site);
  }

  /** Undefined while it does not run. */
  get port(): number | undefined {
    return this.#server?.port;
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
    const server = this.#server;
    this.#server = undefined;
    await server?.kill('SIGKILL');
  }

  /** Stops all of its threads, as a machine does that is out of memory or moved to another. */
  freeze(): void {
    this.#disturbances += 1;
    this.#isStopped = true;
    void this.#server?.kill('SIGSTOP');
  }

  thaw(): void {
    void this.#server?.kill('SIGCONT');
    this.#isStopped = false;
  }
}
