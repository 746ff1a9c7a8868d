// Owns the suite that every backend runs; each part is one kind of record.

import { describe } from 'node:test';

import { accessTokenTests } from './contract_access_tokens.ts';
import { codeTests } from './contract_codes.ts';
import { familyTests } from './contract_families.ts';
import { keyCheckTests, nodeTests } from './contract_keeping.ts';
import { kindTests } from './contract_kinds.ts';
import { loginAttemptTests } from './contract_login_attempts.ts';
import { apiKeyTests, usernameTests } from './contract_look_ups.ts';
import { refreshTokenTests } from './contract_refresh_tokens.ts';
import { removalTests } from './contract_removals.ts';
import { signingKeyTests, throttleTests, timeTests } from './contract_rest.ts';
import { revocationTests } from './contract_revocations.ts';
import { familyStartTests, singleTokenTests } from './contract_single_tokens.ts';
import { sweepTests } from './contract_sweep.ts';
import { type Open, storeTest } from './with_store.ts';

/** The Store contract, for the backend that `open` makes. */
export function describeStoreContract(name: string, open: Open): void {
  const check = storeTest(open);
  describe(`store contract: ${name}`, () => {
    kindTests(open);
    apiKeyTests(check);
    usernameTests(check);
    removalTests(open);
    codeTests(check);
    refreshTokenTests(check);
    familyTests(check);
    familyStartTests(check);
    revocationTests(check);
    singleTokenTests(check);
    accessTokenTests(check);
    signingKeyTests(check);
    throttleTests(check);
    loginAttemptTests(check);
    keyCheckTests(check);
    nodeTests(check);
    timeTests(check);
    sweepTests(check);
  });
}
