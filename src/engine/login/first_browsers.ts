// Owns remembering which browser got the page of a login first; in memory, since strangers must not
// make the service write (docs/decisions/022).

import { BoundedMap } from '../../lib/bounded_map.ts';
import type { Instant } from '../../lib/clock.ts';
import type { BoundTransaction } from './transaction.ts';

/** By the transaction's identifier. */
export class FirstBrowsers {
  // Some 10 MB. A login that was forgotten early can be opened by a second browser, no worse.
  readonly #logins = new BoundedMap<string, { browser: string; expiresAt: Instant }>(50_000);

  find(id: string): string | undefined {
    return this.#logins.get(id)?.browser;
  }

  /** Whether this browser is the first, or no other one was. */
  claim({ id, browser, expiresAt }: BoundTransaction, now: Instant): boolean {
    const first = this.find(id);
    if (first !== undefined) return first === browser;
    for (let old = this.#logins.oldest(); old !== undefined; old = this.#logins.oldest()) {
      if (now < (this.#logins.get(old)?.expiresAt ?? 0)) break;
      this.#logins.delete(old);
    }
    this.#logins.set(id, { browser, expiresAt });
    return true;
  }
}
