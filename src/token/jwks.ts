// Owns the published key set (RFC 7517): public halves only (HOSTILE 37).

import type { JWK } from 'jose';

import type { SigningKeyRecord } from '../oauth/signing_key.ts';

/** Seconds for which a verifier may keep the key set; a new key waits for it before it signs. */
export const keySetMaxAge = 300;

/** Members of a JWK that are public, by RFC 7518 6.2.1, 6.3.1 and RFC 8037 2. */
const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/** The key set as JSON text. */
export function renderKeySet(records: readonly SigningKeyRecord[]): string {
  const keys = records.map((record) => {
    const jwk = JSON.parse(record.publicJwk) as JWK;
    const members = publicMembers
      .filter((name) => jwk[name] !== undefined)
      .map((name) => [name, jwk[name]] as const);
    return { ...Object.fromEntries(members), kid: record.kid, alg: record.algorithm, use: 'sig' };
  });
  return JSON.stringify({ keys });
}
