// Owns records of signing keys and rules for tests of their rotation.

import { type Milliseconds, milliseconds } from '../../src/lib/clock.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import type { KeyRules } from '../../src/token/key_rules.ts';
import { aSigningKey, at } from '../store/fixtures.ts';

export const minute = 60;
export const lasting = (seconds: number): Milliseconds => milliseconds(seconds * 1000);
export const rules: KeyRules = {
  kind: 'signing_key',
  algorithm: 'ES256',
  longestToken: lasting(30 * minute),
};
export const edwards: KeyRules = { ...rules, algorithm: 'EdDSA' };

export const first: SigningKeyRecord = aSigningKey('first', { signsFrom: at(0) });
export const second: SigningKeyRecord = aSigningKey('second', { signsFrom: at(10 * minute) });
