// Owns the cookie by which a browser is known that a member has logged in with before (OWASP's
// "device cookies"). It lets nobody in: it only says whose failures this browser's are.

import { after, type Instant, milliseconds, type Milliseconds } from '../../lib/clock.ts';
import { type Digest, sameDigest } from '../../lib/digest.ts';
import { randomKey } from '../../lib/random.ts';
import { seal, unseal } from '../../lib/seal.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Keyring } from '../../token/keyring.ts';

/** One for each programme: a browser may be that of members of several. */
export function deviceCookieName(programme: ProgrammeId): string {
  return `jetway_device_${programme}`;
}

/** How long a browser is known, from each login. */
export const deviceLifetime: Milliseconds = milliseconds(180 * 86_400_000);

interface KnownDevice {
  /** Whose browser it is, as failures of that member are counted under. */
  readonly account: Digest;
  readonly device: string;
  readonly expiresAt: Instant;
}

/** The cookie of a browser that `account` has just logged in with; never the one it had before. */
export function newDevice(
  keyring: Keyring,
  programme: ProgrammeId,
  account: Digest,
  now: Instant,
): string {
  const known: KnownDevice = {
    account,
    device: randomKey(16),
    expiresAt: after(now, deviceLifetime),
  };
  return seal(keyring.deviceSeal, JSON.stringify(known), programme);
}

/**
 * What the failures of a known browser are counted under: a count of its own, which strangers do
 * not add to. Undefined where the cookie is not this member's, or none of ours.
 */
export function deviceAccount(
  keyring: Keyring,
  programme: ProgrammeId,
  account: Digest,
  cookie: string | undefined,
  now: Instant,
): Digest | undefined {
  const text = cookie === undefined ? undefined : unseal(keyring.deviceSeal, cookie, programme);
  if (text === undefined) return undefined;
  const known = JSON.parse(text) as KnownDevice;
  if (now >= known.expiresAt || !sameDigest(known.account, account)) return undefined;
  return keyring.accountDigest(`device ${known.device} ${account}`);
}
