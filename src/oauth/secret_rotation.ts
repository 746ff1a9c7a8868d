// Owns how the secrets, or the API keys, of a client change when one is added or ended. Never are
// more than two of them good at once. No store here.

import { earlier, type Instant } from '../lib/clock.ts';
import type { StoredSecret } from './client.ts';

export type SecretChange =
  | { readonly secrets: readonly StoredSecret[] }
  | { readonly refusal: 'two_live' | 'one_live' | 'held_already' };

/** The secrets that are good at a moment, the one that was made first in front. */
export function liveSecrets(held: readonly StoredSecret[], now: Instant): readonly StoredSecret[] {
  return held
    .filter(({ expiresAt }) => expiresAt === undefined || now < expiresAt)
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/**
 * Adds a secret; what is good already ends at `endsAt`, or earlier if it was to. Without `endsAt`
 * it ends at once, and is gone from the record, so that no clock has a say in it.
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

/** Ends the older of two at once. */
export function endOlder(held: readonly StoredSecret[], now: Instant): SecretChange {
  const [, ...newer] = liveSecrets(held, now);
  return newer.length === 0 ? { refusal: 'one_live' } : { secrets: newer };
}
