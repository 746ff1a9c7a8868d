// Owns the limit of a client's requests (G-18).

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { Service } from './service.ts';

/** One counter per client over all grants, and over revocations of access tokens. */
export async function throttle(service: Service, client: Client, now: Instant): Promise<void> {
  const limit = client.throttle ?? service.programme.throttle;
  if (limit === undefined) return;
  const { id: programme } = service.programme;
  const outcome = service.store.count('token_request', programme, client.id, limit, now);
  const { allowed, retryAfter } = await outcome;
  if (!allowed) throw new Refusal('throttled', { retryAfter: retryAfter / 1000 });
}
