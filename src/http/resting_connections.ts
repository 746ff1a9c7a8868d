// Owns the connections that are not read for a while after a refusal.

import type { Socket } from 'node:net';

export class RestingConnections {
  /** Those that have rested longest come first. */
  readonly #resting: { readonly socket: Socket; readonly since: number }[] = [];

  get size(): number {
    return this.#resting.length;
  }

  /** @param now milliseconds of any clock */
  add(socket: Socket, now: number): void {
    socket.pause();
    this.#resting.push({ socket, since: now });
  }

  /** Reads so many again, or all; returns how many. */
  read(most: number = Infinity): number {
    const rested = this.#resting.splice(0, most);
    for (const { socket } of rested) socket.resume();
    return rested.length;
  }

  /** Reads those again that have rested since before `time`. */
  readBefore(time: number): void {
    const late = this.#resting.findIndex(({ since }) => since > time);
    this.read(late < 0 ? Infinity : late);
  }
}
