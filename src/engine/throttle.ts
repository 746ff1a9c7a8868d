// Owns the limit of a client's requests (G-18).

import type { Instant } from '../lib/clock.ts';
import type { Budget, Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import { usedUp } from './causes/client.ts';
import type { Service } from './service.ts';

/**
 * One counter per client over all grants, and over revocations of access tokens. Resolves to what the
 * client has left; undefined where it has no limit.
 */
export async function throttle(
  service: Service,
  client: Client,
  now: Instant,
): Promise<Budget | undefined> {
  const limit = client.throttle ?? service.programme.throttle;
  const { uses, programme, store } = service;
  if (limit === undefined) {
    uses.allow(client.id, now);
    return undefined;
  }
  const outcome = store.count('token_request', programme.id, client.id, limit, now);
  const { allowed, remaining, retryAfter } = await outcome;
  const budget = { limit, remaining, at: now, resetAfter: retryAfter };
  if (!allowed) {
    uses.throttle(client.id, now, retryAfter);
    const cause = usedUp(limit, client.throttle !== undefined);
    throw new Refusal('throttled', { retryAfter: retryAfter / 1000, budget, cause });
  }
  uses.allow(client.id, now);
  return budget;
}
