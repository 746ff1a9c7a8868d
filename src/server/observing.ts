// Owns telling each of several observers of requests: the one place where log, metrics, audit and traces
// are joined to the listeners.

import type { Observer, RequestRecord } from '../oauth/request_record.ts';

/** Observers may come and go while requests are answered. */
export class Observing implements Observer {
  #all: readonly Observer[];

  constructor(...all: readonly Observer[]) {
    this.#all = all;
  }

  /** Returns what takes it out again. */
  add(observer: Observer): () => void {
    this.#all = [...this.#all, observer];
    return () => {
      this.#all = this.#all.filter((one) => one !== observer);
    };
  }

  readonly begun = (record: RequestRecord): void => {
    for (const one of this.#all) one.begun?.(record);
  };

  readonly answered = (record: RequestRecord): void => {
    for (const one of this.#all) one.answered(record);
  };
}
