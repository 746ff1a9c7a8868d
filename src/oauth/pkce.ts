// Owns Proof Key for Code Exchange (RFC 7636), S256 only.

import { digest } from '../lib/digest.ts';

/** Inputs of proof keys; a dialect without proof keys reads none of them. */
export const proofInputs: ReadonlySet<string> = new Set([
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
]);

const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Whether a verifier proves a challenge. A verifier without a challenge and a challenge without a
 * verifier both fail (RFC 9700 4.8.2, HOSTILE 28).
 *
 * @param kept characters of the challenge that a store has kept (`SpentCode`); all if left out
 */
export function provesChallenge(
  challenge: string | undefined,
  verifier: string | undefined,
  kept?: number,
): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  return verifierForm.test(verifier) && digest(verifier).slice(0, kept) === challenge;
}
