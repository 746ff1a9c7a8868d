// Owns Proof Key for Code Exchange (RFC 7636), S256 only.

import { hash } from 'node:crypto';

import { digest } from '../lib/digest.ts';
import type { ProofFault } from './proofs/proof_faults.ts';

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

/** Why a verifier does not prove a challenge; `kept` as for `provesChallenge`, which has refused it. */
export function verifierFault(
  challenge: string | undefined,
  verifier: string | undefined,
  kept?: number,
): ProofFault {
  if (verifier === undefined) return 'verifier_missing';
  if (challenge === undefined) return 'verifier_undeclared';
  const isChallenge = (text: string): boolean => text.slice(0, kept) === challenge;
  if (isChallenge(verifier)) return 'verifier_is_challenge';
  if (!/^[A-Za-z0-9._~-]*$/.test(verifier)) return 'verifier_characters';
  if (verifier.length < 43) return 'verifier_short';
  if (verifier.length > 128) return 'verifier_long';
  for (const end of ['\n', '\r\n']) {
    if (isChallenge(digest(verifier + end))) return 'challenge_of_line_end';
  }
  return isChallenge(hash('sha256', Buffer.from(verifier, 'base64url'), 'base64url'))
    ? 'challenge_of_bytes'
    : 'verifier_other';
}

/** What is wrong with an input of proof keys, where it is a known slip. */
export function challengeFault(role: string, value: string): ProofFault | undefined {
  if (role === 'code_challenge_method') {
    return value.toLowerCase() === 'plain' ? 'method_plain' : 'method_spelling';
  }
  if (role === 'code_verifier') {
    const fault = verifierFault('', value);
    return fault === 'verifier_other' ? undefined : fault;
  }
  if (role !== 'code_challenge') return undefined;
  if (/^[0-9A-Fa-f]{64}$/.test(value)) return 'challenge_hex';
  if (/[+/]/.test(value)) return 'challenge_base64';
  return value.endsWith('=') ? 'challenge_padded' : undefined;
}
