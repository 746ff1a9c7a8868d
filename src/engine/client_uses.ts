// Owns the count of what the clients of a programme did within the last hour, as this process saw it.

import { after, instant, type Instant, type Milliseconds } from '../lib/clock.ts';
import type { ClientId } from '../oauth/client.ts';

/** What a client did in the present minute and the 59 before it. */
export interface LastHour {
  /** Token requests that its limit let pass; of a client without a limit, all. */
  readonly allowed: number;
  readonly throttled: number;
  /** Requests with its identifier that did not prove to be its own. */
  readonly failedAuthentications: number;
}

const minute = 60_000;
const minutes = 60;
const [allowed, throttled, failed, kindsOfUse] = [0, 1, 2, 3];

/** Of clients that have called since the start: 720 bytes of counts each. */
const mostClients = 10_000;

/** Counts by minute, in a ring: the minute that begins takes the place of the one an hour before. */
class Ring {
  readonly #counts = new Uint32Array(minutes * kindsOfUse);
  #newest = 0;
  /** The end of the window that is used up. */
  throttledUntil = 0;

  add(kind: number, now: Instant): void {
    this.#begin(now);
    const place = (minuteOf(now) % minutes) * kindsOfUse + kind;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  sum(now: Instant): LastHour {
    this.#begin(now);
    const sums = [0, 0, 0];
    for (const [place, count] of this.#counts.entries()) {
      const kind = place % kindsOfUse;
      sums[kind] = (sums[kind] ?? 0) + count;
    }
    const [passed = 0, held = 0, failures = 0] = sums;
    return { allowed: passed, throttled: held, failedAuthentications: failures };
  }

  /**
   * Empties the minutes that have begun since the last count; all, if the clock was set back by an
   * hour. A request that began in an earlier minute is counted there.
   */
  #begin(now: Instant): void {
    const present = minuteOf(now);
    const gone = present - this.#newest;
    if (gone <= 0 && gone > -minutes) return;
    if (gone < 0 || gone >= minutes) this.#counts.fill(0);
    else {
      for (let next = this.#newest + 1; next <= present; next += 1) {
        const place = (next % minutes) * kindsOfUse;
        this.#counts.fill(0, place, place + kindsOfUse);
      }
    }
    this.#newest = present;
  }
}

/** The beginning of the first minute that counts: not quite an hour ago. */
export function countedSince(now: Instant): Instant {
  return instant((minuteOf(now) - minutes + 1) * minute);
}

function minuteOf(now: Instant): number {
  return Math.floor(now / minute);
}

export class ClientUses {
  readonly #most: number;
  readonly #rings = new Map<ClientId, Ring>();
  /** Of identifiers that no client has: to count costs the same for them (HOSTILE 40). */
  readonly #nobody = new Ring();

  /** Counts of at most so many clients; one more, and the client that called first is forgotten. */
  constructor(most: number = mostClients) {
    this.#most = most;
  }

  allow(client: ClientId, now: Instant): void {
    const ring = this.#of(client);
    ring.add(allowed, now);
    // An operator may have given it another limit since.
    ring.throttledUntil = 0;
  }

  throttle(client: ClientId, now: Instant, retryAfter: Milliseconds): void {
    const ring = this.#of(client);
    ring.add(throttled, now);
    ring.throttledUntil = after(now, retryAfter);
  }

  /** @param client undefined where nobody has the identifier */
  fail(client: ClientId | undefined, now: Instant): void {
    (client === undefined ? this.#nobody : this.#of(client)).add(failed, now);
  }

  /** What the client did within the last hour, of which this process may have begun within. */
  of(client: ClientId, now: Instant): LastHour {
    const ring = this.#rings.get(client);
    return ring?.sum(now) ?? { allowed: 0, throttled: 0, failedAuthentications: 0 };
  }

  /** Clients that were refused by a window which still lasts; at most so many, the first callers first. */
  throttled(now: Instant, most: number): readonly ClientId[] {
    const isHeld = ([, { throttledUntil }]: readonly [ClientId, Ring]): boolean =>
      now < throttledUntil;
    const found = this.#rings.entries().filter(isHeld).take(most);
    return Array.from(found, ([client]) => client);
  }

  #of(client: ClientId): Ring {
    const held = this.#rings.get(client);
    if (held !== undefined) return held;
    if (this.#rings.size >= this.#most) {
      const [first] = this.#rings.keys();
      if (first !== undefined) this.#rings.delete(first);
    }
    const ring = new Ring();
    this.#rings.set(client, ring);
    return ring;
  }
}
