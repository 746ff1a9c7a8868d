// Owns whether a server traces requests. Code that does is loaded only where an endpoint is configured.

import type { Config } from '../../config/config.ts';
import { readTracingHeaders } from '../../config/log_keys.ts';
import type { ServerLog } from '../log_writer.ts';
import type { Observing } from '../observing.ts';
import type { Tracer } from './tracer.ts';

export class Tracing {
  readonly #observing: Observing;
  readonly #log: ServerLog;
  #tracer: Tracer | undefined;
  #remove = (): void => undefined;

  constructor(observing: Observing, log: ServerLog) {
    this.#observing = observing;
    this.#log = log;
  }

  /**
   * Traces as the configuration says from now on; what was traced before is still sent.
   * @throws FaultsError where the file of headers cannot be used; then nothing has changed
   */
  async follow({ tracing, environment, document }: Config): Promise<void> {
    const next =
      tracing &&
      new (await import('./tracer.ts')).Tracer({
        ...tracing,
        environment,
        headers: readTracingHeaders(tracing, document),
        log: this.#log,
      });
    this.#remove();
    const former = this.#tracer;
    this.#tracer = next;
    if (next !== undefined) this.#remove = this.#observing.add(next);
    await former?.end();
  }

  /** Sends what is left, for a short time. */
  async end(): Promise<void> {
    this.#remove();
    await this.#tracer?.end();
  }
}
