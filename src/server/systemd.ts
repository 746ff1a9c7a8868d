// Owns what the service manager (systemd) is told of this process: that it is ready, reloads, stops and
// still turns. Loaded only where NOTIFY_SOCKET names a socket for it.

import { execFile } from 'node:child_process';

import type { Log } from '../engine/service.ts';

/** Milliseconds that a message may take; `systemd-notify` itself gives up after five seconds. */
const patience = 10_000;
/** Milliseconds: node takes a longer interval for none. */
const longestInterval = 3_600_000;

/**
 * Messages go by `systemd-notify`, one at a time and in order: node has no datagrams on unix sockets.
 * A manager that cannot be told is logged, and the server goes on.
 */
export class ServiceManager {
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #failure: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The server answers; also after a reload. */
  ready(status: string): void {
    this.#tell('READY=1', `STATUS=${status}`);
  }

  /**
   * The server waits for its store. Say it more often than once a minute, and within the manager's own
   * patience with a start (TimeoutStartSec). A trouble's own words could hold a line of this protocol.
   */
  wait(): void {
    this.#tell('EXTEND_TIMEOUT_USEC=60000000', 'STATUS=the store does not answer: waiting for it');
  }

  /** `Type=notify-reload` waits for `ready` from here on. */
  reloading(): void {
    this.#tell('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
  }

  stopping(): void {
    this.#tell('STOPPING=1');
  }

  /**
   * FAULTS 21: says twice within each span of the watchdog that the process turns. Said from the event
   * loop: while that is blocked nothing is said, and the manager starts the server anew. The store has
   * no part in it: where it is full or away, a new start would find it so.
   */
  watch(): void {
    const { WATCHDOG_USEC: span, WATCHDOG_PID: pid } = process.env;
    const interval = Math.min(Number(span) / 2000, longestInterval);
    if (!(interval > 0) || (pid !== undefined && Number(pid) !== process.pid)) return;
    setInterval(() => {
      // A message that has not got through yet holds this one back, or they would pile up.
      if (this.#waiting === 0) this.#tell('WATCHDOG=1');
    }, interval).unref();
  }

  #tell(...assignments: readonly string[]): void {
    this.#waiting += 1;
    this.#last = this.#sendAfter(this.#last, assignments);
  }

  async #sendAfter(before: Promise<void>, assignments: readonly string[]): Promise<void> {
    await before;
    const failure = await send(assignments);
    this.#waiting -= 1;
    if (failure !== undefined && failure !== this.#failure) {
      this.#log.error('service_manager_not_told', { detail: failure });
    }
    this.#failure = failure;
  }
}

/** Resolves to why it could not be sent. */
function send(assignments: readonly string[]): Promise<string | undefined> {
  const { NOTIFY_SOCKET = '', PATH = '' } = process.env;
  return new Promise((resolve) => {
    const options = { env: { NOTIFY_SOCKET, PATH }, timeout: patience };
    execFile('systemd-notify', assignments, options, (error, _, stderr) => {
      if (error === null) resolve(undefined);
      else if (error.code === 'ENOENT') resolve('systemd-notify is not on the PATH');
      else resolve(stderr.trim() || error.message);
    });
  });
}
