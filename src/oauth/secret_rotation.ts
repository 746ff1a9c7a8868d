// Owns how the secrets or API keys of a client change when a secret is added or ended: at most two are
// good at once. No store here.

import { earlier, type Instant } from '../lib/clock.ts';
import type { StoredSecret } from './client.ts';

export type SecretChange =
  | { readonly secrets: readonly StoredSecret[] }
  | { readonly refusal: 'two_live' | 'one_live' | 'held_already' };

/** The secrets that are good at a moment, the oldest first. */
export function liveSecrets(held: readonly StoredSecret[], now: Instant): readonly StoredSecret[] {
  return held
    .filter(({ expiresAt }) => expiresAt === undefined || now < expiresAt)
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/**
 * Adds a secret. Secrets that are good already end at `endsAt`, or at their own earlier end. Without
 * `endsAt` they are removed at once, so that no clock decides about them.
 */
export function addSecret(
  held: readonly StoredSecret[],
  fresh: StoredSecret,
  endsAt: Instant | undefined,
): SecretChange {
  const live = liveSecrets(held, fresh.createdAt);
  if (live.some(({ digest }) => digest === fresh.digest)) return { refusal: 'held_already' };
  if (endsAt === undefined) return { secrets: [fresh] };
  if (live.length >= 2) return { refusal: 'two_live' };
  const ending = live.map((secret) => ({
    ...secret,
    expiresAt: earlier(secret.expiresAt ?? endsAt, endsAt),
  }));
  return { secrets: [...ending, fresh] };
}

/** Removes the older of two good secrets. */
export function endOlder(held: readonly StoredSecret[], now: Instant): SecretChange {
  const [, ...newer] = liveSecrets(held, now);
  return newer.length === 0 ? { refusal: 'one_live' } : { secrets: newer };
}
