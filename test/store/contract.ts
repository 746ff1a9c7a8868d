// Owns the suite that every backend runs; each part is one kind of record.

import { describe } from 'node:test';

import { acceptedTimeTests } from './contract_accepted_time.ts';
import { accessTokenTests } from './contract_access_tokens.ts';
import { codeTests } from './contract_codes.ts';
import { historyTests } from './contract_histories.ts';
import { keptTextTests } from './contract_kept_texts.ts';
import { kindTests } from './contract_kinds.ts';
import { liveTokenTests } from './contract_live_tokens.ts';
import { loginAttemptTests } from './contract_login_attempts.ts';
import { loginTests } from './contract_logins.ts';
import { apiKeyTests, ownKeyTests, usernameTests } from './contract_look_ups.ts';
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
    describe('keys of one client alone', () => ownKeyTests(check));
    removalTests(open);
    describe('codes', () => codeTests(check));
    describe('logins', () => loginTests(check));
    describe('histories of TOKENS 8.1', () => historyTests(check));
    describe('revoking all', () => revocationTests(check));
    describe('access tokens', () => accessTokenTests(check));
    describe('kept texts', () => keptTextTests(check));
    describe('live tokens', () => liveTokenTests(check));
    describe('an accepted time', () => acceptedTimeTests(check));
    describe('signing keys', () => signingKeyTests(check));
    describe('throttle', () => throttleTests(check));
    describe('login attempts', () => loginAttemptTests(check));
    describe('key check', () => keyCheckTests(check));
    describe('node numbers', () => nodeTests(check));
    describe('recorded time', () => timeTests(check));
    describe('sweep', () => sweepTests(check));
  });
}
