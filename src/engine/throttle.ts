// Owns the limit of a client's requests (G-18).

import type { Instant } from '../lib/clock.ts';
import { networkOf } from '../lib/ip_address.ts';
import type { Budget, Client } from '../oauth/client.ts';
import { Refusal } from '../oauth/failure.ts';
import type { WireRequest } from '../oauth/wire_request.ts';
import { usedUp } from './causes/client.ts';
import type { Service } from './service.ts';

/**
 * One counter per client (of a public one, and address) over all grants, and over revocations of access tokens. Resolves to what the
 * client has left; undefined where it has no limit.
 */
export async function throttle(
  service: Service,
  client: Client,
  now: Instant,
  { address }: Pick<WireRequest, 'address'>,
): Promise<Budget | undefined> {
  const limit = client.throttle ?? service.programme.throttle;
  const { programme, store } = service;
  if (limit === undefined) return undefined;
  // Strangers know the identifier of a public client: one of them must not use it up for all. No
  // identifier holds a line break: no client has the key of another one.
  const key = client.isPublic === true ? `${client.id}\n${networkOf(address())}` : client.id;
  const outcome = store.count('token_request', programme.id, key, limit, now);
  const { allowed, remaining, retryAfter } = await outcome;
  const budget = { limit, remaining, at: now, resetAfter: retryAfter };
  if (!allowed) {
    const cause = usedUp(limit, client.throttle !== undefined);
    throw new Refusal('throttled', { retryAfter: retryAfter / 1000, budget, cause });
  }
  return budget;
}
