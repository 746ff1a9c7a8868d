// Owns the suite that every backend runs; each part is one kind of record.

import { describe } from 'node:test';

import { accessTokenTests, familyStartTests, singleTokenTests } from './contract_access_tokens.ts';
import { codeTests } from './contract_codes.ts';
import { familyTests } from './contract_families.ts';
import { kindTests } from './contract_kinds.ts';
import { loginAttemptTests } from './contract_login_attempts.ts';
import { apiKeyTests, usernameTests } from './contract_look_ups.ts';
import { refreshTokenTests } from './contract_refresh_tokens.ts';
import { removalTests } from './contract_removals.ts';
import {
  keyCheckTests,
  nodeTests,
  signingKeyTests,
  throttleTests,
  timeTests,
} from './contract_rest.ts';
import { revocationTests } from './contract_revocations.ts';
import { sweepTests } from './contract_sweep.ts';
import { type Open, storeTest } from './with_store.ts';

/** The Store contract, for the backend that `open` makes. */
export function describeStoreContract(name: string, open: Open): void {
  const check = storeTest(open);
  describe(`store contract: ${name}`, () => {
    kindTests(open);
    describe('API keys', () => apiKeyTests(check));
    describe('usernames', () => usernameTests(check));
    removalTests(open);
    describe('codes', () => codeTests(check));
    describe('refresh tokens', () => refreshTokenTests(check));
    describe('families', () => familyTests(check));
    describe('families without a code', () => familyStartTests(check));
    describe('revoking all', () => revocationTests(check));
    describe('revoking one access token', () => singleTokenTests(check));
    describe('access tokens', () => accessTokenTests(check));
    describe('signing keys', () => signingKeyTests(check));
    describe('throttle', () => throttleTests(check));
    describe('login attempts', () => loginAttemptTests(check));
    describe('key check', () => keyCheckTests(check));
    describe('node numbers', () => nodeTests(check));
    describe('recorded time', () => timeTests(check));
    describe('sweep', () => sweepTests(check));
  });
}
