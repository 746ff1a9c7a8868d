// Owns records of signing keys and rules for tests of their rotation.

import { type Milliseconds, milliseconds } from '../../src/lib/clock.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import type { KeyRules } from '../../src/token/key_rules.ts';
import { at, club } from '../store/fixtures.ts';

export const minute = 60;
export const lasting = (seconds: number): Milliseconds => milliseconds(seconds * 1000);
export const rules: KeyRules = {
  kind: 'signing_key',
  algorithm: 'ES256',
  longestToken: lasting(30 * minute),
};
export const edwards: KeyRules = { ...rules, algorithm: 'EdDSA' };

export function aKey(kid: string, more: Partial<SigningKeyRecord> = {}): SigningKeyRecord {
  return {
    programme: club,
    kid,
    algorithm: 'ES256',
    publicJwk: '{}',
    sealedPrivateJwk: 'sealed',
    createdAt: at(0),
    ...more,
  };
}

export const first: SigningKeyRecord = aKey('first', { signsFrom: at(0) });
export const second: SigningKeyRecord = aKey('second', { signsFrom: at(10 * minute) });
