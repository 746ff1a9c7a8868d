// Owns how the secrets or API keys of a client change when a secret is added or ended: at most two are
// good at once. No store here.

import { earlier, type Instant } from '../lib/clock.ts';
import type { StoredSecret } from './client.ts';

export type SecretChange<Secret extends StoredSecret = StoredSecret> =
  | { readonly secrets: readonly Secret[] }
  | { readonly refusal: 'two_live' | 'one_live' | 'held_already' };

/** The secrets that are good at a moment, the oldest first. */
export function liveSecrets<Secret extends StoredSecret>(
  held: readonly Secret[],
  now: Instant,
): readonly Secret[] {
  return held
    .filter(({ expiresAt }) => expiresAt === undefined || now < expiresAt)
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/**
 * Adds a secret. Secrets that are good already end at `endsAt`, or at their own earlier end. Without
 * `endsAt` they are removed at once, so that no clock decides about them.
 */
export function addSecret<Secret extends StoredSecret>(
  held: readonly Secret[],
  fresh: Secret,
  endsAt: Instant | undefined,
): SecretChange<Secret> {
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
export function endOlder<Secret extends StoredSecret>(
  held: readonly Secret[],
  now: Instant,
): SecretChange<Secret> {
  const [, ...newer] = liveSecrets(held, now);
  return newer.length === 0 ? { refusal: 'one_live' } : { secrets: newer };
}
