// Owns the cookie of a browser in which a member has logged in before (OWASP's "device cookies"). It
// authenticates no member: it only decides under which count this browser's failures go.

import { after, type Instant, milliseconds, type Milliseconds } from '../../lib/clock.ts';
import { type Digest, sameDigest } from '../../lib/digest.ts';
import { randomKey } from '../../lib/random.ts';
import { seal, unseal } from '../../lib/seal.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import { ownCookies } from '../../oauth/own_paths.ts';
import type { Keyring } from '../../token/keyring.ts';

/** One for each programme: a browser may have logins at several. */
export function deviceCookieName(programme: ProgrammeId): string {
  return `${ownCookies}device_${programme}`;
}

/** How long a browser is known after a login. */
export const deviceLifetime: Milliseconds = milliseconds(180 * 86_400_000);

interface KnownDevice {
  /** The account of the member whose browser it is. */
  readonly account: Digest;
  readonly device: string;
  readonly expiresAt: Instant;
}

/** A fresh cookie for a browser in which `account` has just logged in. */
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
 * The account that counts the failures of a known browser; strangers cannot add to it. Undefined
 * unless the cookie is one that we gave this member.
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
  // A line break: no username begins with one (HOSTILE 78).
  return keyring.accountDigest(`\ndevice ${known.device} ${account}`);
}
