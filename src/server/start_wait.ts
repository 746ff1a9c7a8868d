// Owns the time in which a server that starts cannot reach its store: it tries again, says so, is unready,
// has the service manager wait, and ends at a signal (FAULTS 39).

import { setTimeout as sleep } from 'node:timers/promises';

import type { Config } from '../config/config.ts';
import { createAdminApp, type Parts } from '../http/admin.ts';
import type { RunningServer } from '../http/server.ts';
import { expose } from '../lib/metrics/exposition.ts';
import { mayAnswerLater } from '../store/unusable.ts';
import { type HandedSockets, openAdmin } from './listeners.ts';
import type { ServerLog } from './log_writer.ts';
import { startingFamilies } from './metrics/server.ts';
import { untilSignal } from './signals.ts';
import type { ServiceManager } from './systemd.ts';

/** Told of each try in which the store was not reached. */
export type OnAway = (trouble: string) => void;

/** Milliseconds between two tries, and between two lines of the log about the same wait. */
const retryInterval = 1000;
const tellInterval = 60_000;
/** Milliseconds between two messages that have the service manager wait longer. */
const extendInterval = 10_000;

/**
 * Has `open` try again until the store answers.
 * @throws what `open` throws, once that is no matter of reaching the store (`mayAnswerLater`)
 */
export async function onceReached<Opened>(
  open: () => Promise<Opened>,
  log: ServerLog,
  onAway: OnAway,
): Promise<Opened> {
  const begun = performance.now();
  let toldAt: number | undefined;
  for (;;) {
    try {
      const opened = await open();
      if (toldAt !== undefined) {
        const seconds = String(Math.round((performance.now() - begun) / 1000));
        log.info('store_reached', { seconds, detail: 'the store answers: the server starts' });
      }
      return opened;
    } catch (error) {
      if (!mayAnswerLater(error)) throw error;
      // First: whoever reads the line may send a signal, which is to be heard.
      onAway(error.message);
      const now = performance.now();
      if (toldAt === undefined || now - toldAt > tellInterval) {
        toldAt = now;
        log.error('store_awaited', { detail: `${error.message}: the server waits for it` });
      }
    }
    await sleep(retryInterval);
  }
}

/** Of the start, what opens the listener for operators. */
interface OfStart {
  readonly config: Config;
  readonly handed: HandedSockets;
}

export class StartWait {
  readonly #start: OfStart;
  readonly #manager: ServiceManager | undefined;
  readonly #cut = Promise.withResolvers<NodeJS.Signals>();
  #trouble = '';
  #isOver = false;
  #signalled: Promise<NodeJS.Signals> | undefined;
  #admin: Promise<RunningServer | undefined> | undefined;
  #extending: NodeJS.Timeout | undefined;

  constructor(start: OfStart, manager: ServiceManager | undefined) {
    this.#start = start;
    this.#manager = manager;
  }

  /**
   * Resolves to a signal that comes from the first failed try on; rejects with a `CommandError` where the
   * listener for operators cannot be opened.
   */
  get cut(): Promise<NodeJS.Signals> {
    return this.#cut.promise;
  }

  readonly onAway: OnAway = (trouble) => {
    this.#trouble = trouble;
    if (this.#isOver || this.#admin !== undefined) return;
    this.#signalled = untilSignal(['SIGTERM', 'SIGINT']);
    void this.#signalled.then(this.#cut.resolve);
    const { config, handed } = this.#start;
    const metrics = async (form: Parameters<typeof expose>[1]): Promise<string> =>
      expose(startingFamilies(this.#parts()), form);
    this.#admin = openAdmin(
      config,
      handed,
      createAdminApp({ parts: () => this.#parts(), metrics }),
    );
    this.#admin.catch(this.#cut.reject);
    this.#manager?.wait();
    this.#extending = setInterval(() => this.#manager?.wait(), extendInterval);
  };

  #parts(): Parts {
    const unready = (reason: string) => ({ status: 'unready', reasons: [reason] }) as const;
    return { server: unready('starting'), store: unready(this.#trouble) };
  }

  /** What was opened in it goes on: the listener for operators, and hearing signals. */
  async end(): Promise<{
    readonly admin: RunningServer | undefined;
    readonly signalled: Promise<NodeJS.Signals> | undefined;
  }> {
    this.#isOver = true;
    clearInterval(this.#extending);
    return { admin: await this.#admin, signalled: this.#signalled };
  }
}
