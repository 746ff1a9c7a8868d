// Owns tracing requests: which are traced, and keeping their records until they are sent. Requests never
// wait for the collector: what it does not take in time is dropped and counted.

import { setTimeout as sleep } from 'node:timers/promises';

import type { TracingSettings } from '../../config/log_keys.ts';
import { beginTrace, newSpanId } from '../../lib/trace_context.ts';
import type { Observer, RequestRecord } from '../../oauth/request_record.ts';
import type { ServerLog } from '../log_writer.ts';
import { exportRequest } from '../requests/spans.ts';
import { sendTraces } from './collector.ts';

/** Requests that wait to be sent; each has some spans. */
const mostWaiting = 4096;
const mostSentAtOnce = 512;
/** Milliseconds that a request waits for others to be sent with it. */
const gathering = 1000;
/** Milliseconds after a failure, doubled with each up to the longest. */
const firstWait = 1000;
const longestWait = 30_000;
/** Milliseconds that the end waits for the collector. */
const lastPatience = 2000;

export interface TracerOptions extends Omit<TracingSettings, 'headersFile'> {
  readonly environment: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: ServerLog;
}

export class Tracer implements Observer {
  readonly #options: TracerOptions;
  #waiting: RequestRecord[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #wait = 0;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /**
   * The decision of a caller who is believed counts for its trace (ParentBased in OpenTelemetry), ours for
   * others (HOSTILE 85).
   */
  begun(record: RequestRecord): void {
    const { trace } = record;
    const isSampled = trace?.isSampled ?? Math.random() < this.#options.sample;
    if (trace === undefined) record.trace = beginTrace(isSampled);
    else record.trace = { ...trace, isSampled, ...(isSampled && { spanId: newSpanId() }) };
    if (isSampled) record.spans = [];
  }

  answered(record: RequestRecord): void {
    if (record.spans === undefined) return;
    // Not the whole head with each record that waits.
    const address = record.address?.();
    record.address = address === undefined ? undefined : () => address;
    if (this.#waiting.length >= mostWaiting) this.#dropped += 1;
    else this.#waiting.push(record);
    this.#plan(this.#waiting.length >= mostSentAtOnce ? 0 : gathering);
  }

  /** Sends what waits, for a short time. */
  async end(): Promise<void> {
    const rest = async (): Promise<void> => {
      await this.#sending;
      while (this.#waiting.length > 0 && this.#wait === 0) await this.#send();
    };
    await Promise.race([rest(), sleep(lastPatience, undefined, { ref: false })]);
    clearTimeout(this.#timer);
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
    this.#tellDropped();
  }

  #plan(delay: number): void {
    this.#timer ??= setTimeout(
      () => {
        this.#sending = this.#send().finally(() => {
          this.#sending = undefined;
          this.#timer = undefined;
          if (this.#waiting.length > 0) this.#plan(this.#wait);
        });
      },
      Math.max(delay, this.#wait),
    ).unref();
  }

  async #send(): Promise<void> {
    const { endpoint, headers, environment, log } = this.#options;
    const records = this.#waiting.splice(0, mostSentAtOnce);
    if (records.length === 0) return;
    const sent = await sendTraces(endpoint, headers, exportRequest(records, environment));
    if (sent === 'taken') {
      if (this.#wait > 0) log.info('traces_sent', { detail: 'the collector takes traces again' });
      this.#wait = 0;
      this.#tellDropped();
      return;
    }
    if (this.#wait === 0) log.error('traces_not_sent', { detail: sent.reason });
    this.#wait = Math.min(longestWait, this.#wait === 0 ? firstWait : this.#wait * 2);
    const room = sent.mayBeRepeated ? mostWaiting - this.#waiting.length : 0;
    this.#waiting.unshift(...records.slice(0, room));
    this.#dropped += Math.max(0, records.length - room);
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#options.log.error('traces_left_out', { requests: `${this.#dropped}` });
    this.#dropped = 0;
  }
}
